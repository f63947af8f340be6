// What the compiler of TypeScript has against a tree, one "path(line,column): message" a line.
//
//   node tscheck.mjs REPOSITORY < PATHS
//
// PATHS are the sources below REPOSITORY, one a line. The compiler reports an import or
// a re-export that leads to nothing once, and is silent about whoever imports the name
// from there and about every use of it. Its own symbols still say that these names lead
// nowhere, so they are listed as well, and in JavaScript they alone.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

// dangling lists where a file names what an import or a re-export leads to nothing.
export function dangling(program, source) {
  const checker = program.getTypeChecker(), found = [];
  const visit = (n) => {
    if (ts.isIdentifier(n) && leadsNowhere(checker, n))
      found.push({ name: n.text, start: n.getStart(source) });
    ts.forEachChild(n, visit);
  };
  visit(source);
  return found;
}

function leadsNowhere(checker, identifier) {
  const symbol = ts.isExportSpecifier(identifier.parent)
    ? checker.getExportSpecifierLocalTargetSymbol(identifier.parent) : checker.getSymbolAtLocation(identifier);
  return symbol !== undefined && (symbol.flags & ts.SymbolFlags.Alias) !== 0 && checker.isUnknownSymbol(checker.getAliasedSymbol(symbol));
}

const options = {
  allowJs: true, noEmit: true, skipLibCheck: true, strict: true, jsx: ts.JsxEmit.ReactJSX, allowImportingTsExtensions: true,
  target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ["lib.esnext.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"], types: [],
};

// pathsOf is where the tsconfig of a repository says that its own packages lie; all
// else that it says is about how strict its authors are.
function pathsOf(repository) {
  const file = path.join(repository, "tsconfig.json");
  if (!fs.existsSync(file)) return {};
  const { config } = ts.readConfigFile(file, ts.sys.readFile);
  const { paths, baseUrl, pathsBasePath } = ts.parseJsonConfigFileContent({ ...config, files: [], include: [], references: [] }, ts.sys, repository, undefined, file).options;
  return { paths, baseUrl, pathsBasePath };
}

function main(repository, paths) {
  const program = ts.createProgram(paths.map((p) => path.join(repository, p)), { ...options, ...pathsOf(repository) });
  for (const name of paths) {
    const source = program.getSourceFile(path.join(repository, name));
    if (!source) continue;
    const say = (at, message) => {
      const { line, character } = source.getLineAndCharacterOfPosition(at);
      console.log(`${name}(${line + 1},${character + 1}): ${message.replaceAll("\n", " ")}`);
    };
    for (const d of [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)])
      if (d.start !== undefined) say(d.start, ts.flattenDiagnosticMessageText(d.messageText, " "));
    for (const d of dangling(program, source)) say(d.start, `'${d.name}' leads to nothing.`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  main(path.resolve(process.argv[2]), fs.readFileSync(0, "utf8").split("\n").filter(Boolean));
