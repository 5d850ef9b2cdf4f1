// The tools, prompts and resources that the official conformance suite asks for, with the official SDK, over stdin and stdout.
import { createHmac, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  McpServer,
  ProtocolError,
  ResourceTemplate,
  fromJsonSchema,
  inputRequired,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';
const KEY = randomBytes(32);
const text = (words) => ({ type: 'text', text: words });
const said = (...content) => ({ content });
const object = (properties = {}, required = []) =>
  fromJsonSchema({ type: 'object', properties, required });
const string = { type: 'string' };
const resource = (uri, words) => ({
  type: 'resource',
  resource: { uri, mimeType: 'text/plain', text: words },
});
const form = (message, properties, required = Object.keys(properties)) =>
  inputRequired.elicit({ message, requestedSchema: { type: 'object', properties, required } });
const sampling = (words, maxTokens) =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: text(words) }],
    maxTokens,
  });
const sealed = (state) => `${state}.${createHmac('sha256', KEY).update(state).digest('hex')}`;
const CHOICES = [
  { const: 'value1', title: 'First Option' },
  { const: 'value2', title: 'Second Option' },
  { const: 'value3', title: 'Third Option' },
];
const TITLED = CHOICES.map((choice) => ({
  ...choice,
  title: choice.title.replace('Option', 'Choice'),
}));

function newServer() {
  const server = new McpServer(
    { name: 'fixture', version: '1.0.0' },
    { capabilities: { logging: {}, completions: {}, resources: { subscribe: true } } },
  );
  const tool = (name, schema, act) =>
    server.registerTool(name, { description: `For ${name}.`, inputSchema: schema }, act);
  const plain = (name, act) => tool(name, object(), act);

  plain('test_simple_text', () => said(text('This is a simple text response for testing.')));
  plain('test_image_content', () => said({ type: 'image', data: PNG, mimeType: 'image/png' }));
  plain('test_audio_content', () => said({ type: 'audio', data: WAV, mimeType: 'audio/wav' }));
  plain('test_embedded_resource', () =>
    said(resource('test://embedded-resource', 'This is an embedded resource content.')),
  );
  plain('test_multiple_content_types', () =>
    said(
      text('Multiple content types test:'),
      { type: 'image', data: PNG, mimeType: 'image/png' },
      resource('test://mixed-content-resource', '{"test":"data","value":123}'),
    ),
  );
  plain('test_error_handling', () => ({
    ...said(text('This tool intentionally returns an error for testing')),
    isError: true,
  }));
  plain('test_tool_with_logging', async (_, { mcpReq }) => {
    for (const data of [
      'Tool execution started',
      'Tool processing data',
      'Tool execution completed',
    ]) {
      await mcpReq.log('info', data);
      await delay(50);
    }
    return said(text('Logged.'));
  });
  plain('test_tool_with_progress', async (_, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 100 },
        });
      await delay(50);
    }
    return said(text(String(progressToken)));
  });
  tool('test_sampling', object({ prompt: string }, ['prompt']), ({ prompt }, { mcpReq }) => {
    const answer = mcpReq.inputResponses?.answer;
    if (answer === undefined)
      return inputRequired({ inputRequests: { answer: sampling(prompt, 100) } });
    return said(text(`LLM response: ${answer.content.text}`));
  });
  const elicitation = (name, questionOf, schema = object()) =>
    tool(name, schema, (args, { mcpReq }) => {
      const answer = mcpReq.inputResponses?.answer;
      if (answer === undefined)
        return inputRequired({ inputRequests: { answer: questionOf(args) } });
      const { action, content } = answer;
      return said(
        text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`),
      );
    });
  elicitation(
    'test_elicitation',
    ({ message }) => form(message, { username: string, email: string }),
    object({ message: string }, ['message']),
  );
  elicitation('test_elicitation_sep1034_defaults', () =>
    form(
      'With defaults',
      {
        name: { ...string, default: 'John Doe' },
        age: { type: 'integer', default: 30 },
        score: { type: 'number', default: 95.5 },
        status: { ...string, enum: ['active', 'inactive', 'pending'], default: 'active' },
        verified: { type: 'boolean', default: true },
      },
      [],
    ),
  );
  elicitation('test_elicitation_sep1330_enums', () =>
    form(
      'With choices',
      {
        untitledSingle: { ...string, enum: ['option1', 'option2', 'option3'] },
        titledSingle: { ...string, oneOf: CHOICES },
        legacyEnum: {
          ...{ ...string, enum: ['opt1', 'opt2', 'opt3'] },
          enumNames: ['Option One', 'Option Two', 'Option Three'],
        },
        untitledMulti: {
          type: 'array',
          items: { ...string, enum: ['option1', 'option2', 'option3'] },
        },
        titledMulti: { type: 'array', items: { anyOf: TITLED } },
      },
      [],
    ),
  );

  /** Asks until all of these are answered, and then says what it heard. */
  const rounds = (name, steps, { seals = false } = {}) =>
    plain(name, (_, { mcpReq }) => {
      const given = mcpReq.inputResponses ?? {};
      const state = mcpReq.requestState();
      const at =
        state === undefined
          ? -1
          : steps.findIndex((_step, index) => sealed(String(index)) === state);
      if (seals && state !== undefined && at < 0)
        throw new ProtocolError(-32_602, 'The state was not given by this server.');
      const asked = steps[Math.max(at, 0)];
      const isAnswered = Object.keys(asked).every((key) => given[key] !== undefined);
      const next = isAnswered ? Math.max(at, 0) + 1 : Math.max(at, 0);
      if (next === steps.length) return said(text(`state-ok ${JSON.stringify(given)}`));
      return inputRequired({
        inputRequests: steps[next],
        ...((seals || steps.length > 1) && { requestState: sealed(String(next)) }),
      });
    });
  const name = form('What is your name?', { name: string });
  const named = 'test_input_required_result_';
  rounds(`${named}elicitation`, [{ user_name: name }]);
  rounds(`${named}sampling`, [
    { capital_question: sampling('What is the capital of France?', 100) },
  ]);
  rounds(`${named}list_roots`, [{ client_roots: inputRequired.listRoots() }]);
  const confirm = { confirm: form('Please confirm', { ok: { type: 'boolean' } }) };
  rounds(`${named}request_state`, [confirm], { seals: true });
  rounds(`${named}tampered_state`, [confirm], { seals: true });
  rounds(
    `${named}multiple_inputs`,
    [
      {
        user_name: name,
        greeting: sampling('Generate a greeting', 50),
        client_roots: inputRequired.listRoots(),
      },
    ],
    { seals: true },
  );
  rounds(`${named}multi_round`, [
    { step1: form('Step 1: What is your name?', { name: string }) },
    { step2: form('Step 2: What is your favorite color?', { color: string }) },
  ]);

  plain('test_logging_tool', async (_, { mcpReq }) => {
    await mcpReq.log('info', 'logged');
    return said(text('Logged.'));
  });
  plain('test_reconnection', () => said(text('Not closed meanwhile.')));
  plain('test_missing_capability', () =>
    inputRequired({ inputRequests: { answer: sampling('Anything?', 10) } }),
  );
  elicitation('test_streaming_elicitation', () => form('Go on?', { ok: { type: 'boolean' } }));

  // Of the tasks extension: the guard makes the tasks, the tools only take their time.
  tool('greet', object({ name: string }), ({ name: who }) => said(text(`Hello, ${who}!`)));
  tool(
    'slow_compute',
    object({ seconds: { type: 'number' }, label: string }),
    async ({ seconds = 0 }) => {
      await delay(seconds * 1_000);
      return said(text(`computed for ${seconds} s`));
    },
  );
  plain('failing_job', () => ({ ...said(text('the job failed')), isError: true }));
  plain('protocol_error_job', () => {
    throw new ProtocolError(-32_603, 'the server broke');
  });
  elicitation(
    'confirm_delete',
    ({ filename }) => form(`Delete ${filename}?`, { confirm: { type: 'boolean' } }),
    object({ filename: string }),
  );
  rounds('multi_input', [{ first: name, second: form('And the colour?', { color: string }) }]);

  const contents = (uri, mimeType, body) => ({ contents: [{ uri, mimeType, ...body }] });
  server.registerResource('static', 'test://static-text', { mimeType: 'text/plain' }, ({ href }) =>
    contents(href, 'text/plain', { text: 'This is the content of the static text resource.' }),
  );
  server.registerResource('binary', 'test://static-binary', { mimeType: 'image/png' }, ({ href }) =>
    contents(href, 'image/png', { blob: PNG }),
  );
  server.registerResource('watched', 'test://watched-resource', {}, ({ href }) =>
    contents(href, 'text/plain', { text: 'watched' }),
  );
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { mimeType: 'application/json' },
    ({ href }, { id }) =>
      contents(href, 'application/json', {
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
      }),
  );

  const user = (content) => ({ role: 'user', content });
  server.registerPrompt('test_simple_prompt', { description: 'Simple.' }, () => ({
    messages: [user(text('This is a simple prompt for testing.'))],
  }));
  server.registerPrompt(
    'test_prompt_with_arguments',
    {
      description: 'Arguments.',
      argsSchema: object({ arg1: string, arg2: string }, ['arg1', 'arg2']),
    },
    ({ arg1, arg2 }) => ({
      messages: [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
    }),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'A resource.', argsSchema: object({ resourceUri: string }, ['resourceUri']) },
    ({ resourceUri }) => ({
      messages: [
        user(resource(resourceUri, 'Embedded resource content for testing.')),
        user(text('Please process the embedded resource above.')),
      ],
    }),
  );
  server.registerPrompt('test_prompt_with_image', { description: 'An image.' }, () => ({
    messages: [
      user({ type: 'image', data: PNG, mimeType: 'image/png' }),
      user(text('Please analyze the image above.')),
    ],
  }));
  server.registerPrompt(
    'test_input_required_result_prompt',
    { description: 'Asks.' },
    ({ mcpReq }) =>
      mcpReq.inputResponses?.user_context === undefined
        ? inputRequired({
            inputRequests: {
              user_context: form('What context should the prompt use?', { context: string }),
            },
          })
        : { messages: [user(text('With the context.'))] },
  );
  for (const method of ['resources/subscribe', 'resources/unsubscribe', 'logging/setLevel'])
    server.server.setRequestHandler(method, () => ({}));
  server.server.setRequestHandler('completion/complete', () => ({
    completion: { values: [], total: 0, hasMore: false },
  }));
  return server;
}

serveStdio(newServer);
