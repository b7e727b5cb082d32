import * as z from 'zod';

/*
 * The shape of a kubeconfig (client-go's `tools/clientcmd/api/v1`), as far as Holdfast or client-node reads
 * it; client-node itself checks nothing. Other fields can be anything, and null counts as absent.
 */

/** Like Go's reader, accepts a number or a boolean in the place of a text, such as a user whose name is 7. */
const word = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const text = word.nullish();
const texts = z.array(word).nullish();

const cluster = z.looseObject({
  server: word,
  'certificate-authority': text,
  'certificate-authority-data': text,
  'insecure-skip-tls-verify': z.boolean().nullish(),
  'tls-server-name': text,
  'proxy-url': text,
});

const user = z.looseObject({
  token: text,
  tokenFile: text,
  'token-file': text,
  username: text,
  password: text,
  as: text,
  'client-certificate': text,
  'client-certificate-data': text,
  'client-key': text,
  'client-key-data': text,
  exec: z
    .looseObject({
      apiVersion: text,
      command: word,
      args: texts,
      env: z.array(z.looseObject({ name: word, value: word })).nullish(),
      installHint: text,
      interactiveMode: text,
      provideClusterInfo: z.boolean().nullish(),
    })
    .nullish(),
  'auth-provider': z
    .looseObject({ name: word, config: z.record(z.string(), word.nullable()).nullish() })
    .nullish(),
});

const context = z.looseObject({ cluster: word, user: text, namespace: text });

const name = word.refine((value) => value !== '');

const kubeconfig = z
  .looseObject({
    'current-context': text,
    clusters: z.array(z.looseObject({ name, cluster })).nullish(),
    contexts: z.array(z.looseObject({ name, context })).nullish(),
    users: z.array(z.looseObject({ name, user: user.nullish() })).nullish(),
  })
  .nullish();

/** A kubeconfig as it stands in its file. */
export type RawKubeConfig = NonNullable<z.infer<typeof kubeconfig>>;

/**
 * Checks what the YAML parser made of a kubeconfig. An empty file is a kubeconfig without anything.
 *
 * @throws Error that names the first field of a wrong type. It does not show the value, which might be a
 *   secret.
 */
export function readShape(content: unknown): RawKubeConfig {
  const result = kubeconfig.safeParse(content);
  if (!result.success) {
    const path = result.error.issues[0]?.path ?? [];
    const names = path.map((each) => (typeof each === 'number' ? `[${String(each)}]` : `.${String(each)}`));
    const found = path.reduce<unknown>(
      (parent, each) => (parent as Readonly<Record<PropertyKey, unknown>> | null | undefined)?.[each],
      content,
    );
    const isMissing = found === undefined || found === null || found === '';
    if (path.length === 0) {
      throw new Error('it is not a mapping with the fields of a kubeconfig');
    }
    throw new Error(
      `${names.join('').slice(1)} ${isMissing ? 'is missing' : 'is not of the type that a kubeconfig has there'}`,
    );
  }
  return result.data ?? {};
}
