import { CORE_SCHEMA, YAMLException, load } from 'js-yaml';

/**
 * What strict decoding reports for YAML that gives a key twice: two lines about the first such key. Undefined
 * if there is none.
 */
export function duplicateKeyProblem(body: Buffer): string | undefined {
  const text = body.toString('utf8');
  try {
    load(text, { schema: CORE_SCHEMA });
    return undefined;
  } catch (error) {
    // Any other problem was found before.
    if (!(error instanceof YAMLException) || error.mark === undefined) {
      return undefined;
    }
    const { line, column } = error.mark;
    const key = /^(?:"([^"]*)"\s*:|'([^']*)'\s*:|([^:]+):)/.exec(
      (text.split('\n')[line] ?? '').slice(column),
    );
    const name = key?.[1] ?? key?.[2] ?? key?.[3]?.trimEnd() ?? '';
    return `yaml: unmarshal errors:\n  line ${line + 1}: key ${JSON.stringify(name)} already set in map`;
  }
}
