// One session of the official TypeScript client with the program.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

// tryClient connects in one mode and does what agents do. It returns a row of a
// table, and whether all went well.
export async function tryClient(where, mode, fixtures, repository) {
  const transport = where.url ? new StreamableHTTPClientTransport(new URL(where.url)) : new StdioClientTransport({ ...where, stderr: 'ignore' });
  const client = new Client({ name: 'suite', version: '1' }, { versionNegotiation: { mode } });
  const cells = [where.url ? 'HTTP' : 'stdio', mode.pin ? `pin ${mode.pin}` : mode, fixtures ? 'fixtures' : 'itself'];
  let error;
  const step = async (what) => {
    try { return await what(); } catch (e) { error ??= e; return 'failed'; }
  };
  const connected = await step(async () => { await client.connect(transport); return 'yes'; });
  cells.push(client.getNegotiatedProtocolVersion?.() ?? '?', connected);
  cells.push(await step(async () => (await client.listTools()).tools.length));
  const progress = [];
  const onprogress = (p) => progress.push(p.progress);
  cells.push(await step(async () => {
    const r = fixtures
      ? await client.callTool({ name: 'test_tool_with_progress', arguments: {} }, { onprogress })
      : await client.callTool({ name: 'list_worktrees', arguments: { repo_root: repository } });
    if (r.isError) throw new Error(JSON.stringify(r));
    return 'yes';
  }));
  // This client loses progress that comes in one chunk with the answer; the tool
  // pauses after each, so all of it is seen.
  cells.push(fixtures ? progress.length : '–');
  if (fixtures && progress.join() !== '0,50,100') error ??= new Error(`progress was ${progress}`);
  cells.push(fixtures ? await step(async () => ((await client.readResource({ uri: 'test://static-text' })).contents.length === 1 ? 'yes' : 'empty')) : '–');
  cells.push(await step(async () => {
    try {
      await client.readResource({ uri: 'previdence://é/absent' });
    } catch (e) {
      // The -32002 of earlier revisions is shown as this code by the client.
      if (e.code !== -32602) throw new Error(`code ${e.code}: ${e.message}`);
      return e.code;
    }
    throw new Error('it was read');
  }));
  cells.push(await step(async () => (await client.listPrompts()).prompts.length));
  await step(async () => client.close());
  return { cells, error, good: error === undefined };
}
