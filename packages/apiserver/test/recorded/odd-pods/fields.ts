/* Specs of pods that are as plain as can be but for the given fields. */

export type Fields = Readonly<Record<string, unknown>>;

export const container: Fields = { name: 'c', image: 'i:1' };
/** One that runs before the others. */
export const init: Fields = { name: 'i', image: 'i:1' };

export const withSpec = (fields: Fields): Fields => ({ containers: [container], ...fields });
export const withContainer = (fields: Fields): Fields => ({ containers: [{ ...container, ...fields }] });
export const withInit = (...fields: Fields[]): Fields =>
  withSpec({ initContainers: fields.map((each, index) => ({ ...init, name: `i${index}`, ...each })) });
export const withVolume = (source: Fields): Fields => withSpec({ volumes: [{ name: 'v', ...source }] });
export const withSecurity = (securityContext: Fields): Fields => withSpec({ securityContext });

/** A text of that length. */
export const long = (length: number): string => 'x'.repeat(length);
