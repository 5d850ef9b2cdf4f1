// A Prisma generator that writes Prisma's model of schema.prisma, as JSON, to the file named by TABLES_FILE. It speaks
// Prisma's generator protocol: one JSON-RPC message a line, answers on standard error.
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const answers = {
  getManifest: () => ({ manifest: { prettyName: 'tables', defaultOutput: '.' } }),
  generate: ({ dmmf, datamodel }) => {
    const file = process.env.TABLES_FILE;
    if (file) writeFileSync(file, JSON.stringify({ ...dmmf.datamodel, text: datamodel }));
    return null;
  },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const result = answers[method](params);
  process.stderr.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
});
