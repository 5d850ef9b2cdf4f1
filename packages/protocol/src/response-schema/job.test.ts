import { canonicalText } from '../json/index.js';
import { createSchemaCache, runSchemaJob } from './job.js';
import { SCHEMA_LIMITS } from './limits.js';

const schemaText = canonicalText({
  type: 'object',
  properties: { note: { type: 'string' } },
  additionalProperties: false,
});

describe('runSchemaJob', () => {
  it('checks a schema without a response', () => {
    const cache = createSchemaCache();
    expect(runSchemaJob({ schemaText, responseText: null }, cache)).toEqual({ ok: true });
    expect(runSchemaJob({ schemaText: '{"format":"x"}', responseText: null }, cache)).toEqual({
      ok: false,
      code: 'unsupported_schema_keyword',
    });
    expect(runSchemaJob({ schemaText: '{"type":"x"}', responseText: null }, cache)).toEqual({
      ok: false,
      code: 'invalid_response_schema',
    });
  });

  it('checks a response, null included', () => {
    const cache = createSchemaCache();
    const judge = (responseText: string): unknown =>
      runSchemaJob({ schemaText, responseText }, cache);
    expect(judge('{"note":"a"}')).toEqual({ ok: true });
    expect(judge('{"note":1}')).toEqual({ ok: false, code: 'response_schema_mismatch' });
    expect(judge('null')).toEqual({ ok: false, code: 'response_schema_mismatch' });
    expect(runSchemaJob({ schemaText: '{"type":"null"}', responseText: 'null' }, cache)).toEqual({
      ok: true,
    });
  });

  it('checks a response by a schema that it does not know yet', () => {
    expect(runSchemaJob({ schemaText, responseText: '[]' }, createSchemaCache())).toEqual({
      ok: false,
      code: 'response_schema_mismatch',
    });
    expect(
      runSchemaJob({ schemaText: '{"$id":"x"}', responseText: '[]' }, createSchemaCache()),
    ).toEqual({ ok: false, code: 'unsupported_schema_reference' });
  });

  it('takes 524544 bytes of UTF-8', () => {
    const text = (bytes: number): string => `"é${'x'.repeat(bytes - 4)}"`;
    const room = SCHEMA_LIMITS.jobBytes - 2;
    const judge = (responseText: string): unknown =>
      runSchemaJob({ schemaText: '{}', responseText }, createSchemaCache());
    expect(Buffer.byteLength(text(room)) + 2).toBe(524_544);
    expect(judge(text(room))).toEqual({ ok: true });
    expect(judge(text(room + 1))).toEqual({ ok: false, code: 'schema_validation_too_large' });
  });

  it('compiles a schema once', () => {
    const cache = createSchemaCache();
    runSchemaJob({ schemaText, responseText: null }, cache);
    const [compiled] = cache.compiled.values();
    runSchemaJob({ schemaText, responseText: '{}' }, cache);
    expect([...cache.compiled.values()]).toEqual([compiled]);
  });

  it('forgets old schemas instead of growing', () => {
    const cache = createSchemaCache();
    const { compiler } = cache;
    for (let i = 0; i < 600; i++) {
      expect(runSchemaJob({ schemaText: `{"const":${i}}`, responseText: `${i}` }, cache)).toEqual({
        ok: true,
      });
    }
    expect(cache.compiled.size).toBeLessThan(300);
    expect(cache.compiler).not.toBe(compiler);
    expect(runSchemaJob({ schemaText: '{"const":0}', responseText: '1' }, cache)).toMatchObject({
      ok: false,
    });
  });

  it('takes the largest schema that the rules allow', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 4998 }, (_, i) => [`n${i}`, { type: 'string' }]),
    );
    const cache = createSchemaCache();
    const largest = canonicalText({ properties });
    expect(runSchemaJob({ schemaText: largest, responseText: '{"n4997":"a"}' }, cache)).toEqual({
      ok: true,
    });
    expect(runSchemaJob({ schemaText: largest, responseText: '{"n4997":1}' }, cache)).toEqual({
      ok: false,
      code: 'response_schema_mismatch',
    });
  });
});
