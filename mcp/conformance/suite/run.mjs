// Lets clients that nobody here wrote talk to a built previdence and writes what
// they said as Markdown. The same program gives the same files, except for
// process.md, which holds times.
//
//   node run.mjs BINARY REPOSITORY [PART…]
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tryClient } from './client.mjs';

const [binary, repository, ...asked] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const results = join(repository, 'mcp', 'conformance', 'results');
const versions = JSON.parse(readFileSync(join(here, 'package.json'))).dependencies;
let failed = false;

// run returns the exit code and output of a program.
function run(file, args) {
  return new Promise((resolve) => {
    const child = execFile(file, args, { cwd: repository, maxBuffer: 1 << 28 }, (error, stdout, stderr) =>
      resolve({ code: error ? (error.code ?? 1) : 0, stdout, stderr }));
    child.stdin.end();
  });
}

const tool = (name) => join(here, 'node_modules', '.bin', name);

// serve starts the program over HTTP, calls use with its address and ends it.
async function serve(args, use) {
  const server = spawn(binary, ['mcp', ...args, '--http', '0'], { cwd: repository, stdio: ['ignore', 'ignore', 'pipe'] });
  const lines = createInterface({ input: server.stderr });
  const address = await new Promise((resolve, reject) => {
    lines.once('line', (line) => resolve(line.replace('listening on ', '')));
    server.once('error', reject);
  });
  try {
    return await use(address);
  } finally {
    server.kill('SIGTERM');
  }
}

function write(name, lines) {
  writeFileSync(join(results, name), lines.join('\n') + '\n');
  console.log(`${name}: ${lines.at(-1)}`);
}

// checksIn reads the results of the suite: scenario → checks.
function checksIn(folder) {
  const found = new Map();
  for (const entry of readdirSync(folder).sort()) {
    const scenario = entry.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\dZ-]+$/, '');
    found.set(scenario, JSON.parse(readFileSync(join(folder, entry, 'checks.json'))));
  }
  return found;
}

const count = (checks, status) => checks.filter((c) => c.status === status).length;

function row(scenario, checks) {
  const untestable = checks.filter((c) => c.details?.untestable).length;
  return `| ${scenario} | ${count(checks, 'SUCCESS')} | ${count(checks, 'FAILURE') - untestable} | ${untestable} | ${count(checks, 'WARNING') + count(checks, 'SKIPPED')} |`;
}

const head = ['| scenario | passed | failed | not testable | other |', '|---|--:|--:|--:|--:|'];

// scoredIn lists the server scenarios that a revision requires.
async function scoredIn(revision) {
  const { stdout } = await run(tool('conformance'), ['list', '--server', '--requirements', revision]);
  const [, list] = stdout.split('Server scenarios');
  return [...list.split('Client scenarios')[0].matchAll(/^ {2}- (\S+)/gm)].map((m) => m[1]);
}

async function conformance(revision) {
  const out = mkdtempSync(join(tmpdir(), 'suite-'));
  try {
    await serve(['--conformance'], (address) =>
      run(tool('conformance'), ['server', '--url', address, '--requirements', revision, '-o', out]));
    const scored = await scoredIn(revision);
    const found = checksIn(out);
    const bad = scored.filter((s) => !found.has(s) || count(found.get(s), 'FAILURE') > 0);
    const checks = scored.flatMap((s) => found.get(s) ?? []);
    const rest = [...found.keys()].filter((s) => !scored.includes(s));
    failed ||= bad.length > 0;
    write(`conformance-${revision}.md`, [
      `# Conformance, ${revision}`, '',
      `\`@modelcontextprotocol/conformance@${versions['@modelcontextprotocol/conformance']}\` with \`--requirements ${revision}\` against \`previdence mcp --conformance --http\`.`,
      '', '## Scored', '', ...head, ...scored.map((s) => row(s, found.get(s) ?? [])),
      '', '## Run and not scored', '', ...head, ...rest.map((s) => row(s, found.get(s))),
      '', `${scored.length - bad.length} of ${scored.length} scored scenarios pass, ${count(checks, 'SUCCESS')} checks passed and ${count(checks, 'FAILURE')} failed.`]);
  } finally {
    rmSync(out, { recursive: true });
  }
}

// What can be asked of a server that has none of the fixtures.
const plainScenarios = {
  '2026-07-28': ['tools-list', 'resources-list', 'prompts-list', 'caching', 'dns-rebinding-protection', 'http-header-validation',
    'sep-2164-resource-not-found', 'server-sse-multiple-streams', 'input-required-result-unsupported-methods', 'server-stateless'],
  '2025-11-25': ['server-initialize', 'ping', 'tools-list', 'resources-list', 'prompts-list', 'dns-rebinding-protection',
    'server-sse-multiple-streams', 'server-session-lifecycle'],
};

async function plain() {
  const lines = ['# Conformance of the server itself', '',
    'The scenarios of the suite that need no fixtures, against `previdence mcp --http`. A check that is not testable wants a tool of the fixtures.'];
  let passed = 0, wrong = 0;
  for (const [revision, scenarios] of Object.entries(plainScenarios)) {
    lines.push('', `## ${revision}`, '', ...head);
    for (const scenario of scenarios) {
      const out = mkdtempSync(join(tmpdir(), 'suite-'));
      await serve([], (address) =>
        run(tool('conformance'), ['server', '--url', address, '--scenario', scenario, '--spec-version', revision, '-o', out]));
      const checks = [...checksIn(out).values()].flat();
      rmSync(out, { recursive: true });
      passed += count(checks, 'SUCCESS');
      wrong += count(checks, 'FAILURE') - checks.filter((c) => c.details?.untestable && c.status === 'FAILURE').length;
      if (checks.length === 0) wrong++;
      lines.push(row(scenario, checks));
    }
  }
  failed ||= wrong > 0;
  write('plain.md', [...lines, '', `${passed} checks passed and ${wrong} failed.`]);
}

async function inspector() {
  const calls = [
    ['tools/list of the fixtures', ['--conformance'], ['--method', 'tools/list']],
    ['tools/call of the fixtures', ['--conformance'], ['--method', 'tools/call', '--tool-name', 'test_simple_text']],
    ['resources/read of the fixtures', ['--conformance'], ['--method', 'resources/read', '--uri', 'test://static-text']],
    ['prompts/get of the fixtures', ['--conformance'], ['--method', 'prompts/get', '--prompt-name', 'test_simple_prompt']],
    ['tools/list', [], ['--strict', '--method', 'tools/list']],
    ['resources/templates/list', [], ['--method', 'resources/templates/list']],
    ['prompts/list', [], ['--method', 'prompts/list']],
    ['tools/call list_worktrees', [], ['--method', 'tools/call', '--tool-name', 'list_worktrees', '--tool-arg', `repo_root=${repository}`]],
  ];
  const lines = ['# Inspector', '', `\`@modelcontextprotocol/inspector@${versions['@modelcontextprotocol/inspector']}\`, the command line, starting \`previdence mcp\` on stdio. A cell is the exit code, then the bytes on stderr if there are any; 0 is success, and \`tools/list\` is asked with \`--strict\`, which complains on stderr about schemas that clients cannot read.`, '',
    '| call | modern | auto | legacy |', '|---|--:|--:|--:|'];
  let wrong = 0;
  for (const [name, server, call] of calls) {
    const cells = [];
    for (const era of ['modern', 'auto', 'legacy']) {
      const r = await run(tool('mcp-inspector'), ['--cli', '--protocol-era', era, '--format', 'json', '-q', binary, 'mcp', ...server, ...call]);
      let result;
      try { result = JSON.parse(r.stdout).result; } catch { /* no result */ }
      const good = r.code === 0 && result !== undefined;
      if (!good) { wrong++; console.error(name, era, r.stdout, r.stderr); }
      cells.push(`${good ? 0 : r.code || 'no result'}${r.stderr ? `, ${r.stderr.length}` : ''}`);
    }
    lines.push(`| ${name} | ${cells.join(' | ')} |`);
  }
  failed ||= wrong > 0;
  write('inspector.md', [...lines, '', `${calls.length * 3 - wrong} of ${calls.length * 3} calls succeed.`]);
}

async function client() {
  const lines = ['# TypeScript client', '', `\`@modelcontextprotocol/client@${versions['@modelcontextprotocol/client']}\` in each mode of version negotiation, over both transports, with the fixtures and with the server itself.`, '',
    '| transport | mode | server | they speak | connect | tools | call | progress | resource | absent resource | prompts |', '|---|---|---|---|---|--:|---|--:|---|---|--:|'];
  let wrong = 0, all = 0;
  for (const mode of ['legacy', 'auto', { pin: '2026-07-28' }]) {
    for (const fixtures of [true, false]) {
      const args = fixtures ? ['--conformance'] : [];
      const both = [await tryClient({ command: binary, args: ['mcp', ...args], cwd: repository }, mode, fixtures, repository),
        await serve(args, (address) => tryClient({ url: address }, mode, fixtures, repository))];
      for (const r of both) {
        all++;
        if (!r.good) { wrong++; console.error(r.error); }
        lines.push(`| ${r.cells.join(' | ')} |`);
      }
    }
  }
  failed ||= wrong > 0;
  write('typescript-client.md', [...lines, '', `${all - wrong} of ${all} sessions do all of it.`]);
}

const median = (times) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)];

// once starts the program on stdio, waits for the answer to a line and calls then.
function once(args, line, then) {
  return new Promise((resolve) => {
    const start = performance.now();
    const server = spawn(binary, ['mcp', ...args], { cwd: repository, stdio: ['pipe', 'pipe', 'pipe'] });
    server.stdin.write(line + '\n');
    then(server, start, resolve);
  });
}

async function processes() {
  const meta = '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}';
  const discover = `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{${meta}}}`;
  const call = (name) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}",${meta}}}`;
  const starts = [], idle = [], inFlight = [], stubborn = [];
  const exit = (times, marker) => (server, _, resolve) => {
    server[marker].once('data', () => {
      const closed = performance.now();
      server.once('exit', () => { times.push(performance.now() - closed); resolve(); });
      server.stdin.end();
    });
  };
  for (let i = 0; i < 21; i++) {
    await once([], discover, (server, start, resolve) => {
      server.stdout.once('data', () => starts.push(performance.now() - start));
      server.once('exit', resolve);
      server.stdout.once('data', () => server.stdin.end());
    });
    await once([], discover, exit(idle, 'stdout'));
    await once(['--conformance'], call('own_wait'), exit(inFlight, 'stderr'));
    await once(['--conformance'], call('own_stubborn'), exit(stubborn, 'stderr'));
  }
  const rows = [['start to the answer of server/discover', starts], ['end of input to exit, idle', idle],
    ['end of input to exit, a call in flight that heeds cancellation', inFlight], ['end of input to exit, a call in flight that does not', stubborn]];
  write('process.md', ['# Start and end of the process', '', `Milliseconds on stdio, ${starts.length} runs each, on the machine that ran this last. No test depends on them.`, '',
    '| what | median | worst |', '|---|--:|--:|', ...rows.map(([name, t]) => `| ${name} | ${median(t).toFixed(0)} | ${Math.max(...t).toFixed(0)} |`),
    '', `An agent that starts it waits ${median(starts).toFixed(0)} ms.`]);
}

const parts = {
  conformance: async () => { await conformance('2026-07-28'); await conformance('2025-11-25'); },
  plain, inspector, client, process: processes,
};
for (const part of asked.length ? asked : Object.keys(parts)) {
  if (!parts[part]) { console.error(`error: no part ${part}: ${Object.keys(parts).join(', ')}`); process.exit(2); }
  await parts[part]();
}
process.exit(failed ? 1 : 0);
