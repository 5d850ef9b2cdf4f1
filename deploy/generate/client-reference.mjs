// `docs/client-operations.md`: each operation of packages/client with a call of it, made of the tables of packages/protocol.
import { EXAMPLES, RECORDS } from '@countersign/protocol';
import { CALLED, nameOf } from './client-files.mjs';

const code = (text) => `\`${text}\``;
const titleOf = (record) => RECORDS[record].title;

/** Whose token the call needs; sessions are for the pages. */
const CALLERS = {
  ...{ publisher: 'a publisher', owner: 'a producer', lister: 'a producer, or an operator' },
  ...{ reader: "the request's producer, or an operator", executor: "the request's producer" },
  ...{ ownerOrOperator: "the request's producer, or an operator", operator: 'an operator' },
  ...{ metrics: 'an operator, or a monitor', bearerMetrics: 'an operator, or a monitor' },
};

/** An `{id}` of each kind. */
const IDS = {
  request: EXAMPLES.RequestStatus.request.id,
  principal: EXAMPLES.PrincipalInput.id,
  route: EXAMPLES.RequestInput.route,
};

const VALUES = { occurrence: EXAMPLES.ExecutionBinding.action_occurrence_id, offset: 0, after: 0 };
const valueOf = ({ name, values }) => values?.find(Boolean) ?? VALUES[name];

export function clientReference() {
  return `# The operations of the client

Made by \`npm run generate\`, of the table of operations. [The client](client.md) says what calls have in common: keys, what is
repeated, what is verified, errors. [Protocol §7](protocol/07-operations.md) says what each operation does, and
[§6.2](protocol/06-http.md#62-refusals) what its refusals mean.

| Operation | Call | |
| --- | --- | --- |
${CALLED.map((row) => `| [${code(nameOf(row))}](#${nameOf(row).toLowerCase()}) | ${code(`${row.method} ${row.path}`)} | ${row.summary} |`).join('\n')}

${CALLED.map(section).join('\n')}`;
}

function section(row) {
  const { name, callers, security, key, query, success, input, output, summary } = row;
  const facts = [
    security === 'none' ? 'Anyone may call it.' : `Called by ${CALLERS[callers]}.`,
    ...(key ? ['Has an idempotency key: `key`, or one of the client.'] : []),
    ...(query.length > 0 ? [`Query: ${query.map((one) => code(one.name)).join(', ')}.`] : []),
    ...(input === null ? [] : [`Takes ${code(titleOf(input))}.`]),
    output === null ? 'Gives text.' : `Gives ${code(titleOf(output))} (${success.join(' or ')}).`,
  ];
  return `## \`${nameOf(row)}\`

${summary} (${code(name)}). ${facts.join(' ')}

\`\`\`ts
${example(row)}
\`\`\`
`;
}

function example(row) {
  const { input, output, query, idOf } = row;
  const name = nameOf(row);
  const result = output === null ? 'string' : titleOf(output);
  const given = [
    ...(idOf === null ? [] : [`id: ${JSON.stringify(IDS[idOf])}`]),
    ...(query.length === 0
      ? []
      : [
          `query: ${JSON.stringify(Object.fromEntries(query.map((one) => [one.name, valueOf(one)])))}`,
        ]),
    ...(input === null ? [] : [`body: ${JSON.stringify(EXAMPLES[input])}`]),
  ];
  const call = given.length === 0 ? name : `${name}, { ${given.join(', ')} }`;
  return `import { connect, ${name} } from '@countersign/client/node';
${output === null ? '' : `import type { ${result} } from '@countersign/client/node';`}

const client = await connect();
const answer: ${result} = await client.call(${call});`;
}
