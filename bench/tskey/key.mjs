// Writes the answer key of a TypeScript repository: what the compiler's checker
// resolves each call to.
//
//   node key.mjs REPOSITORY FOLDER [javascript] > key.tsv
//
// With "javascript" the sources are JavaScript, which the checker reads by
// inference and JSDoc; CommonJS counts as it does for the checker.
// Every call, new expression and tagged template in the sources below FOLDER is
// asked for its signature. Options are fixed, no tsconfig is read and nothing of
// the repository is run. What counts as an edge and what is left open:
// bench/README.md.
import fs from "node:fs";
import path from "node:path";
import ts from "typescript";

const [repository, folder] = [path.resolve(process.argv[2]), process.argv[3]];
const javascript = process.argv[4] === "javascript";
const extensions = new Set(javascript ? [".js", ".jsx", ".mjs", ".cjs"] : [".ts", ".tsx", ".mts", ".cts"]);
const skipped = new Set(["node_modules", ".git", "dist", "build", "out", "coverage", ".next", ".turbo", ".yarn", "vendor"]);
const testFolder = /(^|\/)(__tests__|__test__|test|tests|spec|runtime-tests)(\/|$)/;
const testFile = /\.(test|spec)\.[cm]?[tj]sx?$/;

const relative = (file) => path.relative(repository, file).split(path.sep).join("/");

function sources(dir, found = []) {
  for (const entry of fs.readdirSync(dir, { withFileTypes: true })) {
    const full = path.join(dir, entry.name);
    const name = relative(full);
    if (entry.isDirectory() && !skipped.has(entry.name)) sources(full, found);
    const wanted = entry.isFile() && extensions.has(path.extname(full)) && !/\.d\.[cm]?ts$/.test(full);
    if (wanted && !testFolder.test(name) && !testFile.test(name)) found.push(full);
  }
  return found;
}

const roots = sources(path.join(repository, folder)).sort();
const program = ts.createProgram({
  rootNames: roots,
  options: {
    target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler,
    jsx: ts.JsxEmit.ReactJSX, allowJs: javascript, noEmit: true, skipLibCheck: true, strict: false, allowImportingTsExtensions: true,
  },
});
const checker = program.getTypeChecker();
const scope = new Set(roots.map(relative));

// Functions by name. An arrow or function expression has a name if a variable, a
// property, the default export or an assignment (module.exports = …, X.y = …) holds
// it; its declaration is then that statement.

const isFunction = (n) =>
  ts.isFunctionDeclaration(n) || ts.isMethodDeclaration(n) || ts.isConstructorDeclaration(n) || ts.isGetAccessorDeclaration(n) ||
  ts.isSetAccessorDeclaration(n) || ts.isFunctionExpression(n) || ts.isArrowFunction(n);

const isAssigned = (n) =>
  n.parent && ts.isBinaryExpression(n.parent) && n.parent.right === n && n.parent.operatorToken.kind === ts.SyntaxKind.EqualsToken &&
  ts.isPropertyAccessExpression(n.parent.left);

function declaration(n) {
  const p = n.parent;
  if (!p) return n;
  if (ts.isVariableDeclaration(p) && p.initializer === n) {
    const statement = p.parent?.parent;
    return statement && ts.isVariableStatement(statement) ? statement : p;
  }
  if (isAssigned(n)) return ts.isExpressionStatement(p.parent) ? p.parent : p;
  const holds = (ts.isPropertyAssignment(p) || ts.isPropertyDeclaration(p)) && p.initializer === n;
  return holds || (ts.isExportAssignment(p) && p.expression === n) ? p : n;
}

const isNamed = (n) => isFunction(n) && (!(ts.isFunctionExpression(n) || ts.isArrowFunction(n)) || declaration(n) !== n);

const isGiven = (n) => isAssigned(n) && n.parent.left.expression.kind !== ts.SyntaxKind.ThisKeyword;

// The outermost function around n. A method that a function gives to an object, as in
// module.exports = function (Posts) { Posts.create = … }, is no part of that function.
function outermost(n) {
  let found = null;
  for (let p = n.parent; p; p = p.parent) {
    if (isNamed(p)) found = p;
    if (found === p && isGiven(p)) break;
  }
  return found;
}

// The line where a declaration starts, behind its decorators and comments.
function lineOf(n) {
  const file = n.getSourceFile();
  let at = n.getStart(file, false);
  const decorators = ts.canHaveDecorators(n) ? ts.getDecorators(n) : undefined;
  if (decorators?.length) {
    let end = decorators.at(-1).end;
    while (/\s/.test(file.text[end] ?? "x")) end++;
    at = Math.max(at, end);
  }
  return file.getLineAndCharacterOfPosition(at).line + 1;
}

const key = (n) => `${relative(n.getSourceFile().fileName)}\t${lineOf(declaration(n))}`;
const isClass = (n) => ts.isClassDeclaration(n) || ts.isClassExpression(n);

// Overloads lead to the body; new X leads to the class.
function target(site) {
  let found = checker.getResolvedSignature(site)?.declaration;
  if (found && !found.body && found.name) {
    const symbol = checker.getSymbolAtLocation(found.name);
    found = symbol?.declarations?.find((d) => d.body) ?? found;
  }
  if (!ts.isNewExpression(site)) return found;
  let symbol = checker.getSymbolAtLocation(site.expression);
  if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
  return symbol?.declarations?.map(classOf).find(Boolean) ?? found;
}

// The class that a declaration is: itself, or written as the value of a constant.
function classOf(d) {
  if (isClass(d)) return d;
  const value = ts.isVariableDeclaration(d) && d.initializer && ts.skipParentheses(d.initializer);
  return value && isClass(value) ? value : undefined;
}

// The classes that derive from a class or interface, by its symbol.
const heirs = new Map();
for (const root of roots) {
  const visit = (n) => {
    for (const clause of (isClass(n) && n.heritageClauses) || [])
      for (const base of clause.types) {
        const symbol = checker.getTypeAtLocation(base).symbol;
        if (symbol) heirs.set(symbol, [...(heirs.get(symbol) ?? []), n]);
      }
    ts.forEachChild(n, visit);
  };
  visit(program.getSourceFile(root));
}

// What a call of a member may run instead of what its signature declares: methods
// that replace it in a derived class, and where the object's type is a union the
// methods of the other parts. The checker gives one signature for all of these.
function alternatives(site, found) {
  const callee = site.expression && ts.skipParentheses(site.expression);
  if (!callee || ts.isNewExpression(site) || !ts.isPropertyAccessExpression(callee) || !ts.isMethodDeclaration(found) && !ts.isMethodSignature(found)) return [];
  const out = new Set();
  const name = callee.name.text;
  const add = (symbol) => symbol?.declarations?.forEach((d) => d.body && d !== found && out.add(d));
  const below = (symbol, seen = new Set()) => {
    if (!symbol || seen.has(symbol)) return;
    seen.add(symbol);
    for (const n of heirs.get(symbol) ?? []) {
      n.members.forEach((m) => m.body && m.name && ts.isIdentifier(m.name) && m.name.text === name && m !== found && out.add(m));
      below(checker.getSymbolAtLocation(n.name ?? n) ?? n.symbol, seen);
    }
  };
  if (callee.expression.kind === ts.SyntaxKind.SuperKeyword) return [];
  const type = checker.getTypeAtLocation(callee.expression);
  for (const part of type.isUnion() ? type.types : [type]) {
    if (type.isUnion()) add(checker.getPropertyOfType(part, name));
    below(part.symbol);
  }
  below(found.parent?.symbol);
  return [...out];
}

// How the callee is written: what a linker must know to find it.
function form(site) {
  if (ts.isNewExpression(site)) return "new";
  if (ts.isTaggedTemplateExpression(site)) return "tagged template";
  const callee = ts.skipParentheses(site.expression);
  if (callee.kind === ts.SyntaxKind.SuperKeyword) return "super()";
  if (ts.isIdentifier(callee)) return "name";
  if (!ts.isPropertyAccessExpression(callee)) return "other";
  const base = ts.skipParentheses(callee.expression);
  if (base.kind === ts.SyntaxKind.ThisKeyword) return "this.m";
  if (base.kind === ts.SyntaxKind.SuperKeyword) return "super.m";
  if (ts.isIdentifier(base)) {
    const symbol = checker.getSymbolAtLocation(base);
    const namespace = symbol?.declarations?.some((d) => ts.isNamespaceImport(d));
    return namespace ? "module.f" : "x.m";
  }
  return ts.isCallExpression(base) ? "f().m" : "other.m";
}

const outsideOf = (file) => {
  const name = relative(file);
  const at = name.lastIndexOf("node_modules/");
  if (at < 0) return name.startsWith("..") ? "elsewhere" : name;
  const parts = name.slice(at + "node_modules/".length).split("/");
  return parts[0] === "typescript" ? parts.at(-1) : parts[0].startsWith("@") ? parts.slice(0, 2).join("/") : parts[0];
};

const edges = new Map(), possible = new Set(), judged = new Set(), withheld = new Set(), outside = new Map(), open = new Map();
const count = (map, name) => map.set(name, (map.get(name) ?? 0) + 1);

function settle(site) {
  const around = outermost(site);
  const caller = around && key(around);
  const found = target(site);
  if (!found) {
    count(open, form(site));
    if (caller) withheld.add(caller);
  } else if (!scope.has(relative(found.getSourceFile().fileName))) {
    count(outside, outsideOf(found.getSourceFile().fileName));
  } else if (!found.body && !isClass(found)) {
    count(open, "declared without a body");
    if (caller) withheld.add(caller);
  } else if (caller) {
    const edge = `${caller}\t${key(found)}`;
    if (!edges.has(edge)) edges.set(edge, form(site));
  }
  if (!found || !caller) return;
  for (const other of alternatives(site, found))
    if (scope.has(relative(other.getSourceFile().fileName))) possible.add(`${caller}\t${key(other)}`);
}

for (const root of roots) {
  const visit = (n) => {
    if (isNamed(n) && (isGiven(n) || !outermost(n))) judged.add(key(n));
    if (ts.isCallExpression(n) || ts.isNewExpression(n) || ts.isTaggedTemplateExpression(n)) settle(n);
    ts.forEachChild(n, visit);
  };
  visit(program.getSourceFile(root));
}

const rows = [
  ...[...edges].map(([edge, how]) => `E\t${edge}\tstatic\t${how}`),
  ...[...possible].filter((edge) => !edges.has(edge)).map((edge) => `P\t${edge}`),
  ...[...scope].map((file) => `F\t${file}`),
  ...[...judged].filter((k) => !withheld.has(k)).map((k) => `J\t${k}`),
  ...[...open].map(([kind, n]) => `R\t${kind}\t${n}`),
  ...[...outside].map(([name, n]) => `X\t${name}\t${n}`),
];
process.stdout.write([`# typescript ${ts.version}, its own checker with fixed options`, ...rows.sort(), ""].join("\n"));
