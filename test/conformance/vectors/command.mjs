// Runs `countersign` many times in one process, because a process each would take minutes: command lines come as JSON on
// standard input, and each one's output and exit code are written in the same way.
import { text } from 'node:stream/consumers';

const { main } = await import(new URL('../../../deploy/dist/cli/main.js', import.meta.url).href);
const print = console.log;
const results = [];
for (const args of JSON.parse(await text(process.stdin))) {
  const said = { stdout: [], stderr: [] };
  console.log = (line) => said.stdout.push(line);
  console.error = (line) => said.stderr.push(line);
  process.exitCode = 0;
  await main([process.execPath, 'countersign', ...args]);
  const { stdout, stderr } = said;
  results.push({ code: process.exitCode, stdout: stdout.join('\n'), stderr: stderr.join('\n') });
}
process.exitCode = 0;
print(JSON.stringify(results));
