// An agent without a model: it reads a folder and writes a summary, by the tools of an MCP server that is behind a guard.
import { mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const folder = resolve('out/files');
mkdirSync(folder, { recursive: true });
writeFileSync(`${folder}/notes.txt`, 'Invoice 17: 2,000 EUR.\nInvoice 18: 300 EUR.\n');

const server = fileURLToPath(
  import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'),
);
const client = new Client({ name: 'agent', version: '1.0.0' });
await client.connect(
  new StdioClientTransport({
    command: process.env.COUNTERSIGN_CLI,
    args: [
      ...['mcp-guard', '--policy', 'guard.yaml', '--state', 'out/state'],
      ...['--', process.execPath, server, folder],
    ],
    env: process.env,
  }),
);

/** Calls a tool; as long as people have not decided, it calls again, which finds the same request. */
async function call(name, args) {
  for (let said = null; ;) {
    const result = await client.callTool({ name, arguments: args });
    const { state, review_link: link } = result._meta?.['countersign/call'] ?? {};
    if (state !== 'pending' && state !== 'running') return { state, text: result.content[0].text };
    if (link !== said) console.log(`Asked: ${link}`);
    said = link;
  }
}

const { text: notes } = await call('read_text_file', { path: `${folder}/notes.txt` });
console.log(`Read:\n${notes}`);
const content = `${notes.split('\n').filter(Boolean).length} invoices, written ${process.argv[2]}.\n`;
const { state, text } = await call('write_file', { path: `${folder}/summary.txt`, content });
console.log(state === undefined ? `Wrote: ${content}` : text);
const { text: moved } = await call('move_file', {
  source: `${folder}/notes.txt`,
  destination: `${folder}/gone.txt`,
});
console.log(`Denied: ${moved}`);
await client.close();
