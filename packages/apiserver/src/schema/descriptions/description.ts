/** What a struct of the schema data is, and each of its fields by its name in JSON. */
export interface Description {
  readonly about: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** By the short Go names of structs, such as core.v1.PodSpec. */
export type Descriptions = Readonly<Record<string, Description>>;
