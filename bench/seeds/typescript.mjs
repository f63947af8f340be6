// Breaks a TypeScript repository in known ways, and says what the compiler then
// finds: one JSON object per line, as bench/seeds/README.md describes.
//
//   node typescript.mjs REPOSITORY FOLDER TSCONFIG NUMBER > seeds.jsonl
//
// Of the functions and methods below FOLDER, NUMBER are broken in each way, spread
// evenly over the files. Truth is every line on which the compiler finds an error
// that it did not find before, in the files that change or name the definition. TSCONFIG gives the options; "" stands for strict
// ones. Nothing of the repository is run and nothing is written into it.
import fs from "node:fs";
import path from "node:path";
import ts from "typescript";
import { dangling } from "../breaks/tscheck.mjs";

const [repository, folder, config, number] = [path.resolve(process.argv[2]), process.argv[3], process.argv[4], Number(process.argv[5])];
const skipped = new Set(["node_modules", ".git", "dist", "build", "out", "coverage", "vendor"]);
const relative = (file) => path.relative(repository, file).split(path.sep).join("/");

function sources(dir, found = []) {
  for (const entry of fs.readdirSync(dir, { withFileTypes: true })) {
    const full = path.join(dir, entry.name);
    if (entry.isDirectory() && !skipped.has(entry.name)) sources(full, found);
    if (entry.isFile() && /\.[cm]?tsx?$/.test(entry.name)) found.push(full);
  }
  return found;
}

function optionsOf(file) {
  if (!file) return { strict: true, jsx: ts.JsxEmit.ReactJSX };
  const full = path.join(repository, file);
  const read = ts.readConfigFile(full, ts.sys.readFile);
  return ts.parseJsonConfigFileContent({ ...read.config, files: [], include: [], references: [] }, ts.sys, path.dirname(full)).options;
}

const roots = sources(path.join(repository, folder)).sort();
const options = {
  ...optionsOf(config), noEmit: true, skipLibCheck: true, incremental: undefined, composite: undefined, declaration: undefined, types: [],
  target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler,
  allowImportingTsExtensions: true, noUnusedLocals: false, noUnusedParameters: false, isolatedDeclarations: undefined,
};

// A host that reads each file once, and lets some stand in other words.
const read = new Map();
let changed = new Map();
const plain = ts.createCompilerHost(options, true);
const host = {
  ...plain,
  getSourceFile(file, target) {
    const other = changed.get(path.resolve(file));
    if (other !== undefined) return ts.createSourceFile(file, other, target, true);
    if (!read.has(file)) read.set(file, plain.getSourceFile(file, target));
    return read.get(file);
  },
};

// The errors of one file, each with what tells it from the others. That is said in the
// old name: an error that a line had before does not become another one by a renaming.
function errorsIn(program, source) {
  const lines = source.text.split("\n");
  const lineOf = (at) => source.getLineAndCharacterOfPosition(at).line;
  const entry = (at, shown, code, message) => ({
    line: lineOf(shown) + 1, message: message.slice(0, 160), label: `${code}\t${lines[lineOf(at)].trim()}\t${message}`.replaceAll("Renamed", ""),
  });
  const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].filter((d) => d.start !== undefined)
    .map((d) => entry(d.start, argumentCodes.has(d.code) ? calleeOf(source, d.start) : d.start, d.code, ts.flattenDiagnosticMessageText(d.messageText, " ")));
  return [...found, ...dangling(program, source).map((d) => entry(d.start, d.start, 0, `'${d.name}' leads to nothing.`))];
}

// The errors about arguments stand where the argument does; what is broken is the call.
const argumentCodes = new Set([2345, 2554, 2555, 2556, 2769]);

// calleeOf is where the name of what is called stands, of the innermost call that has
// the place among its arguments; else the place itself, which may be such a name.
function calleeOf(source, at) {
  let callee = at;
  const visit = (n) => {
    if (at < n.pos || n.end <= at) return;
    const call = ts.isCallExpression(n) || ts.isNewExpression(n);
    if (call && at < n.expression.end) callee = at;
    if (call && n.arguments?.some((a) => a.getStart(source) <= at && at < a.end))
      callee = ts.isPropertyAccessExpression(n.expression) ? n.expression.name.getStart(source) : n.expression.getStart(source);
    ts.forEachChild(n, visit);
  };
  visit(source);
  return callee;
}

const base = ts.createProgram({ rootNames: roots, options, host });
const own = (source) => !relative(source.fileName).startsWith("..") && !relative(source.fileName).includes("node_modules/");
const before = new Map();
function errorsBefore(file) {
  if (!before.has(file)) before.set(file, base.getSourceFile(file) ? errorsIn(base, base.getSourceFile(file)) : []);
  return before.get(file);
}

// What the compiler finds anew in the files that change and in those that name the
// definition; others are not asked.
function truth(edits, name) {
  changed = new Map(Object.entries(edits).map(([file, text]) => [path.join(repository, file), text]));
  const program = ts.createProgram({ rootNames: roots, options, host, oldProgram: base });
  const asked = program.getSourceFiles().filter((s) => own(s) && (changed.has(path.resolve(s.fileName)) || s.text.includes(name)));
  const errors = [];
  for (const source of asked) {
    const left = new Map();
    for (const d of errorsBefore(source.fileName)) left.set(d.label, (left.get(d.label) ?? 0) + 1);
    const lines = new Set();
    for (const d of errorsIn(program, source)) {
      const n = left.get(d.label) ?? 0;
      left.set(d.label, n - 1);
      if (n > 0 || lines.has(d.line)) continue;
      lines.add(d.line);
      errors.push({ path: relative(source.fileName), line: d.line, message: d.message });
    }
  }
  changed = new Map();
  return { follows: [], asked: asked.map((s) => relative(s.fileName)).sort(), errors };
}

// What can be broken: functions, constants that hold one, and methods, each with
// a name that stands elsewhere too.
const service = ts.createLanguageService({
  getCompilationSettings: () => options, getScriptFileNames: () => roots, getScriptVersion: () => "0",
  getScriptSnapshot: (file) => { const t = ts.sys.readFile(file); return t === undefined ? undefined : ts.ScriptSnapshot.fromString(t); },
  getCurrentDirectory: () => repository, getDefaultLibFileName: ts.getDefaultLibFilePath, fileExists: ts.sys.fileExists, readFile: ts.sys.readFile,
  directoryExists: ts.sys.directoryExists, getDirectories: ts.sys.getDirectories,
});

const isTest = (file) => /(^|\/)(__tests__|tests?|spec|runtime-tests)\/|\.(test|spec)\.[cm]?tsx?$|\.d\.[cm]?ts$/.test(relative(file));
const functionIn = (n) => n && (ts.isArrowFunction(n) || ts.isFunctionExpression(n)) ? n : undefined;

function candidates() {
  const all = [];
  for (const root of roots.filter((file) => !isTest(file))) {
    const source = base.getSourceFile(root);
    const visit = (n, inClass) => {
      if (ts.isFunctionDeclaration(n) && n.name && n.body) all.push({ source, whole: n, name: n.name, f: n });
      if (ts.isMethodDeclaration(n) && n.body && ts.isIdentifier(n.name) && inClass) all.push({ source, whole: n, name: n.name, f: n });
      if (ts.isVariableStatement(n) && n.declarationList.declarations.length === 1) {
        const d = n.declarationList.declarations[0], f = functionIn(d.initializer);
        if (f && ts.isIdentifier(d.name)) all.push({ source, whole: n, name: d.name, f });
      }
      if (ts.isClassDeclaration(n)) n.members.forEach((m) => visit(m, true));
      if (ts.isSourceFile(n) || ts.isModuleDeclaration(n) || ts.isModuleBlock(n)) ts.forEachChild(n, (c) => visit(c, false));
    };
    visit(source, false);
  }
  // Overloads are several definitions of one name: leave them whole.
  const times = new Map();
  const place = (c) => `${c.source.fileName}\t${c.name.text}`;
  for (const c of all) times.set(place(c), (times.get(place(c)) ?? 0) + 1);
  return all.filter((c) => times.get(place(c)) === 1 && !overloaded(c));
}

const overloaded = (c) => (base.getTypeChecker().getSymbolAtLocation(c.name)?.declarations?.length ?? 1) > 1;

const replace = (text, from, to, by) => text.slice(0, from) + by + text.slice(to);
const required = (c) => c.f.parameters.filter((p) => ts.isIdentifier(p.name) && p.name.text !== "this");

// Ways to break a definition; each gives the files as they then stand, or nothing.
const ways = {
  delete: (c) => ({ [relative(c.source.fileName)]: replace(c.source.text, c.whole.getStart(), c.whole.end, "") }),
  rename: (c) => ({ [relative(c.source.fileName)]: replace(c.source.text, c.name.getStart(), c.name.end, `${c.name.text}Renamed`) }),
  add(c) {
    const ps = c.f.parameters;
    if (ps.some((p) => p.questionToken || p.initializer || p.dotDotDotToken) || required(c).length !== ps.length) return;
    const open = c.f.getChildren().find((n) => n.kind === ts.SyntaxKind.OpenParenToken);
    if (!open) return;
    const at = ps.length ? ps.at(-1).end : open.end;
    return { [relative(c.source.fileName)]: replace(c.source.text, at, at, `${ps.length ? ", " : ""}seeded: number`) };
  },
  drop(c) {
    const ps = c.f.parameters;
    if (!ps.length || required(c).length !== ps.length || !c.f.getChildren().some((n) => n.kind === ts.SyntaxKind.OpenParenToken)) return;
    const from = ps.length > 1 ? ps.at(-2).end : ps.at(-1).getFullStart();
    return { [relative(c.source.fileName)]: replace(c.source.text, from, ps.at(-1).end, "") };
  },
  // Renamed everywhere but in one place.
  stale(c, i) {
    const found = service.findRenameLocations(c.source.fileName, c.name.getStart(), false, false, { providePrefixAndSuffixTextForRename: false }) ?? [];
    const others = found.filter((l) => !(l.fileName === c.source.fileName && l.textSpan.start === c.name.getStart()));
    if (!others.length || found.some((l) => relative(l.fileName).startsWith(".."))) return;
    const left = others[i % others.length], files = new Map();
    for (const l of found) if (l !== left) files.set(l.fileName, [...(files.get(l.fileName) ?? []), l.textSpan]);
    const edits = {};
    for (const [file, spans] of files) {
      let text = ts.sys.readFile(file);
      for (const s of spans.sort((a, b) => b.start - a.start)) text = replace(text, s.start, s.start + s.length, `${c.name.text}Renamed`);
      edits[relative(file)] = text;
    }
    return edits;
  },
};

function spread(all, n) {
  return all.length <= n ? all : Array.from({ length: n }, (_, i) => all[Math.floor((i * all.length) / n)]);
}

const all = candidates();
const write = (x) => process.stdout.write(JSON.stringify(x) + "\n");
write({ made_by: `typescript ${ts.version}` });
for (const [kind, way] of Object.entries(ways)) {
  const able = all.filter((c) => kind === "stale" || way(c, 0));
  let done = 0;
  // More than asked for, every second first, since some changes break nothing.
  const tried = spread(able, number * 2);
  for (const [i, c] of [...tried.filter((_, i) => i % 2 === 0), ...tried.filter((_, i) => i % 2)].entries()) {
    if (done === number) break;
    const files = way(c, i);
    if (!files) continue;
    const { follows, asked, errors } = truth(files, c.name.text);
    if (!errors.length) continue;
    done++;
    const { line } = c.source.getLineAndCharacterOfPosition(c.name.getStart());
    write({ kind, name: `${relative(c.source.fileName)}:${line + 1} ${c.name.text}`, files, asked, errors, follows });
  }
}
