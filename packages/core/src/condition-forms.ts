/** The syntax that metav1.Condition requires of a field. */
export interface Form {
  readonly pattern: RegExp;
  /** The syntax described for error messages. */
  readonly words: string;
}

export const typeForm: Form = {
  pattern:
    /^(?:[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*\/)?(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/,
  words: 'a word such as Ready or example.com/Ready',
};
export const reasonForm: Form = {
  pattern: /^[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?$/,
  words: 'a word such as QuotaExceeded',
};
