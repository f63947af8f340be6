// The scenarios of scripts/act-check. Each sets the state of the fake GitHub, lets
// act run a workflow on an event, and looks at what the step said and wrote.
import { spawn, execFileSync } from "node:child_process";
import { readFileSync, writeFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";

const { WORK, ACT, HUB, PRISM } = process.env;
const repo = join(WORK, "repo");
const only = process.argv.slice(2);

const git = (...args) => execFileSync("git", args, { cwd: repo, encoding: "utf8" }).trim();

// The pull request: one commit that renames a method and leaves its callers, and one
// that mends it.
const file = "action/event/event.go";
const base = git("rev-parse", "HEAD");
const commit = (from, to) => {
  const path = join(repo, file);
  writeFileSync(path, readFileSync(path, "utf8").replace(from, to));
  git("commit", "--quiet", "--all", "--message", "change");
  return git("rev-parse", "HEAD");
};
git("checkout", "--quiet", "-b", "pr");
const broken = commit("func (e *Event) Describe() string", "func (e *Event) Name() string");
const mended = commit("func (e *Event) Name() string", "func (e *Event) Describe() string");
git("checkout", "--quiet", "-b", "worse", broken);
const worse = commit("func (e *Event) Approves() bool", "func (e *Event) Approved() bool");
const patch = git("diff", "-U3", base, broken, "--", file).split("\n").slice(4).join("\n");

const own = { id: 1001, full_name: "acme/pay", default_branch: "main" };
const fork = { id: 2002, full_name: "mallory/pay" };
const pull = (action, sha, head = own) => ({
  action, number: 7, repository: own,
  pull_request: {
    number: 7, state: action === "closed" ? "closed" : "open",
    base: { ref: "main", sha: base, repo: own }, head: { ref: "pr", sha, repo: head },
  },
});
const approval = (sha) => ({ ...pull("submitted", sha), review: { state: "approved", commit_id: sha, author_association: "MEMBER" } });
const finished = (sha) => ({
  action: "completed", repository: own,
  workflow_run: {
    id: 900, run_attempt: 1, head_sha: sha, head_branch: "pr", head_repository: fork, event: "pull_request",
    path: ".github/workflows/analyze.yml", conclusion: "success",
  },
});

// The fake GitHub, asked directly and not through Prism.
const state = async () => (await fetch(`${HUB}/_hub/state`)).json();
const set = async (s) => {
  const answer = await fetch(`${HUB}/_hub/state`, { method: "PUT", body: JSON.stringify(s) });
  if (!answer.ok) throw new Error(await answer.text());
};
const change = async (edit) => {
  const s = await state();
  edit(s);
  await set(s);
};
const fresh = (sha, head = own) => ({
  pull_requests: [{ number: 7, head: sha, head_repo_id: head.id, base, base_ref: "main", files: [{ path: file, patch }] }],
  merge_bases: Object.fromEntries([broken, mended, worse].map((h) => [`${base}...${h}`, base]).concat([[`main...${base}`, base]])),
});
const writes = async () => ((await (await fetch(`${HUB}/_hub/requests`)).json()) ?? []).filter((r) => r.method !== "GET" && !r.path.includes("graphql"));
const written = async (part) => (await writes()).filter((r) => r.path.includes(part)).map((r) => r.method);

let runs = 900;

// act runs one workflow and returns what its step left.
async function act(event, workflow, payload, { run = ++runs, sha = payload.pull_request?.head.sha ?? base } = {}) {
  git("checkout", "--quiet", "--detach", sha);
  const path = join(WORK, "event.json");
  writeFileSync(path, JSON.stringify(payload));
  // Prism follows a redirect itself, token and all, and so cannot stand before the
  // download of an artifact. The fake checks those calls by the same description.
  const env = {
    GITHUB_API_URL: workflow === "publish.yml" ? HUB : PRISM, GITHUB_GRAPHQL_URL: `${HUB}/graphql`, GITHUB_SERVER_URL: "http://127.0.0.1:1", GITHUB_REPOSITORY: "acme/pay",
    GITHUB_RUN_ID: String(run), GITHUB_RUN_ATTEMPT: "1", GITHUB_WORKFLOW_REF: `acme/pay/.github/workflows/${workflow}@refs/pull/7/merge`,
    PREVIDENCE_RELEASES: `file://${WORK}/releases`, PREVIDENCE_STATE_DIR: `${WORK}/state`, RIG_EVIDENCE: `${WORK}/evidence.json`,
  };
  const args = [event, "-W", `.github/rig/${workflow}`, "-P", "ubuntu-latest=-self-hosted", "-e", path, "--no-cache-server", "-s", "GITHUB_TOKEN=tok", "-a", "mona"];
  for (const [key, value] of Object.entries(env)) args.push("--env", `${key}=${value}`);
  const log = await new Promise((resolve, reject) => {
    let text = "";
    const p = spawn(ACT, args, { cwd: repo, env: { ...process.env, ...env, XDG_CACHE_HOME: `${WORK}/cache`, HOME: WORK } });
    p.stdout.on("data", (d) => (text += d));
    p.stderr.on("data", (d) => (text += d));
    p.on("error", reject);
    p.on("close", () => resolve(text));
  });
  if (process.env.RIG_VERBOSE) console.error(log); // to see what a scenario did
  const found = /\| rig outcome=(\S*)(?: comment=(\S*))?/.exec(log) ?? [];
  const code = /exit status (\d+)/.exec(log)?.[1] ?? (/exitcode '(\d+)'/.exec(log)?.[1]) ?? "0";
  return { log, outcome: found[1] ?? "", comment: found[2] ?? "", code: Number(code) };
}

// zipped is an archive with one stored file, as an artifact is downloaded.
function zipped(name, data) {
  const n = Buffer.from(name), crc = crc32(data), head = Buffer.alloc(26), central = Buffer.alloc(42), end = Buffer.alloc(22);
  head.writeUInt16LE(20, 0); head.writeUInt32LE(crc, 10); head.writeUInt32LE(data.length, 14); head.writeUInt32LE(data.length, 18); head.writeUInt16LE(n.length, 22);
  const local = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), head, n, data]);
  central.writeUInt16LE(0x031e, 0); central.writeUInt16LE(20, 2); central.writeUInt32LE(crc, 12); central.writeUInt32LE(data.length, 16);
  central.writeUInt32LE(data.length, 20); central.writeUInt16LE(n.length, 24); central.writeUInt32LE((0o100644 << 16) >>> 0, 34);
  const directory = Buffer.concat([Buffer.from("PK\x01\x02", "latin1"), central, n]);
  end.write("PK\x05\x06", 0, "latin1"); end.writeUInt16LE(1, 8); end.writeUInt16LE(1, 10); end.writeUInt32LE(directory.length, 12); end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, directory, end]);
}

const check = (ok, what) => {
  if (!ok) throw new Error(what);
};
const same = (got, want, what) => check(JSON.stringify(got) === JSON.stringify(want), `${what}: ${JSON.stringify(got)}, want ${JSON.stringify(want)}`);

// first makes the state after a first run on a head.
async function first(sha) {
  await set(fresh(sha));
  const r = await act("pull_request", "one.yml", pull("opened", sha));
  same(r.outcome, "pass", "outcome");
  same((await state()).comments.length, 1, "comments");
  return r;
}

const scenarios = {
  "first run": async () => {
    const r = await first(broken);
    const s = await state();
    check(s.comments[0].body.startsWith("<!-- previdence v=1 "), "no marker at the first byte");
    check(s.comments[0].body.includes("Describe"), "the comment does not name what broke");
    same(s.check_runs.map((c) => [c.head, c.status]), [[broken, "completed"]], "check runs");
    check(r.comment.includes("issuecomment-"), `comment-url is ${r.comment}`);
    return `comment, check run with ${s.check_runs[0].annotations.length} annotations, ${(s.review_comments ?? []).length} review comments`;
  },
  "unchanged rerun": async () => {
    await first(broken);
    await change(() => {});
    await act("pull_request", "one.yml", pull("reopened", broken));
    same(await written("comments"), [], "writes to comments");
    return "no write to the conversation";
  },
  "new push": async () => {
    await first(broken);
    await change((s) => (s.pull_requests[0].head = worse));
    await act("pull_request", "one.yml", pull("synchronize", worse));
    const s = await state();
    same(s.comments.length, 1, "comments");
    check(s.comments[0].body.includes(`head=${worse}`) && s.comments[0].body.includes("Approves"), "the comment is not about the new head");
    await change((s) => (s.pull_requests[0].head = mended));
    await act("pull_request", "one.yml", pull("synchronize", mended));
    const after = (await state()).comments;
    check(after.length === 1 && after[0].body.includes(`head=${mended}`) && after[0].edits === 2, "the comment was not edited to say that nothing is left");
    return "the one comment was edited twice";
  },
  "older run ending late": async () => {
    await first(broken);
    await change(() => {});
    await act("pull_request", "one.yml", pull("opened", broken), { run: 5 });
    same(await written("issues/"), [], "writes to the conversation");
    return "no write to the conversation";
  },
  "marker planted by a stranger": async () => {
    const s = fresh(broken);
    const marker = `<!-- previdence v=1 key=default head=${broken} seq=999999.1 sum=${"0".repeat(64)} -->\nowned`;
    s.comments = [{ id: 1, number: 7, login: "mallory", type: "User", body: marker, edits: 0 }, { id: 2, number: 7, login: "other[bot]", type: "Bot", body: marker, edits: 0 }];
    await set({ ...s, last_id: 2 });
    await act("pull_request", "one.yml", pull("opened", broken));
    const after = (await state()).comments;
    same(after.map((c) => [c.login, c.edits]), [["mallory", 0], ["other[bot]", 0], ["github-actions[bot]", 0]], "comments");
    return "theirs stay as they are, ours is new";
  },
  "fork, two workflows": async () => {
    rmSync(join(WORK, "evidence.json"), { force: true });
    await set({ ...fresh(broken, fork), scopes: [] });
    const one = await act("pull_request", "analyze.yml", pull("opened", broken, fork), { run: 900 });
    same([one.outcome, (await writes()).length], ["pass", 0], "outcome and writes of the first workflow");
    check(existsSync(join(WORK, "evidence.json")), "no evidence was left");
    const zip = zipped("previdence-evidence.json", readFileSync(join(WORK, "evidence.json"))).toString("base64");
    await set({ ...fresh(broken, fork), artifacts: [{ id: 3, run_id: 900, name: "previdence-evidence", zip, expired: false }] });
    const two = await act("workflow_run", "publish.yml", finished(broken), { run: 950 });
    same(two.outcome, "published", "outcome of the second workflow");
    const s = await state();
    check(s.comments.length === 1 && s.comments[0].body.includes("fork"), "the comment does not say where the evidence comes from");
    await change((s) => (s.pull_requests[0].head = mended));
    const late = await act("workflow_run", "publish.yml", finished(broken), { run: 951 });
    same([late.outcome, (await writes()).length], ["superseded", 0], "after a push meanwhile");
    return "the first only reads, the second posts; after a push it says superseded";
  },
  "read-only token": async () => {
    await set({ ...fresh(broken), scopes: [] });
    const r = await act("pull_request", "one.yml", pull("opened", broken));
    same([r.outcome, r.code, ((await state()).comments ?? []).length], ["pass", 0, 0], "outcome, code and comments");
    check(/pull-requests: write/.test(r.log), "the log does not say which permission lacks");
    return "degrades to summary and log, and names the permission";
  },
  "429": async () => {
    await set({ ...fresh(broken), faults: [{ method: "POST", path: "/comments", times: 1, status: 429, header: { "Retry-After": "2" }, body: '{"message":"slow down"}' }] });
    const r = await act("pull_request", "one.yml", pull("opened", broken));
    same([r.outcome, (await state()).comments.length], ["pass", 1], "outcome and comments");
    return "waited as asked, then posted once";
  },
  "422 line": async () => {
    await set({ ...fresh(broken), faults: [{ method: "POST", path: "/reviews", times: 1, status: 422, body: '{"message":"Validation Failed","documentation_url":"https://docs.github.com/rest","errors":["Pull request review thread line must be part of the diff"]}' }] });
    const r = await act("pull_request", "one.yml", pull("opened", broken));
    same([r.outcome, r.code, (await state()).comments.length], ["pass", 0, 1], "outcome, code and comments");
    return "the comment and the check run are there all the same";
  },
  "deleted comment": async () => {
    await first(broken);
    await change((s) => { s.comments = []; s.pull_requests[0].head = worse; });
    await act("pull_request", "one.yml", pull("synchronize", worse));
    same((await state()).comments.length, 1, "comments");
    return "created once more";
  },
  "more than 100 comments": async () => {
    await first(broken);
    await change((s) => {
      const ours = s.comments;
      s.comments = [];
      for (let i = 0; i < 230; i++) s.comments.push({ id: 5000 + i, number: 7, login: "ada", type: "User", body: `talk ${i}`, edits: 0 });
      s.comments.push({ ...ours[0], id: 9000 });
      s.pull_requests[0].head = worse;
    });
    await act("pull_request", "one.yml", pull("synchronize", worse));
    const bots = (await state()).comments.filter((c) => c.login === "github-actions[bot]");
    same(bots.map((c) => [c.id, c.edits]), [[9000, 1]], "our comments");
    return "ours was found on the third page and edited";
  },
  approval: async () => {
    await set(fresh(broken));
    const r = await act("pull_request_review", "one.yml", approval(broken));
    same([r.outcome, (await writes()).length], ["cleaned", 0], "outcome and writes");
    return "cleaned up, nothing posted";
  },
  close: async () => {
    await first(broken);
    await change((s) => (s.pull_requests[0].closed = true));
    const r = await act("pull_request", "one.yml", pull("closed", broken));
    same([r.outcome, (await writes()).length, (await state()).comments.length], ["cleaned", 0, 1], "outcome, writes and comments");
    return "cleaned up, the comment stays";
  },
};

mkdirSync(join(WORK, "state"), { recursive: true, mode: 0o700 });
let failed = 0;
for (const [name, run] of Object.entries(scenarios)) {
  if (only.length && !only.some((o) => name.includes(o))) continue;
  const lines = [];
  try {
    lines.push(`ok    ${name}: ${await run()}`);
  } catch (e) {
    failed++;
    lines.push(`FAIL  ${name}: ${e.message}`);
  }
  const violations = (await (await fetch(`${HUB}/_hub/violations`)).text()).trim();
  if (violations) {
    failed++;
    lines.push(`FAIL  ${name}: not as GitHub describes it: ${violations}`);
  }
  console.log(lines.join("\n"));
}
const refused = readFileSync(join(WORK, "prism.log"), "utf8").split("\n").filter((l) => /UNPROCESSABLE_ENTITY|NO_PATH_MATCHED|VIOLATIONS/.test(l));
if (refused.length) {
  failed++;
  console.log(`FAIL  Prism refused ${refused.length} calls: ${refused[0]}`);
}
console.log(failed ? `${failed} failed` : "all scenarios hold");
process.exit(failed ? 1 : 0);
