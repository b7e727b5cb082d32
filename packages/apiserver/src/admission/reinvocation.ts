import { type Json, cloneJson, jsonEqual } from '../meta/json.ts';

/**
 * What one write remembers of its mutating webhooks, so that those that ask for it (reinvocationPolicy IfNeeded) see once
 * more what others changed after them. As k8s.io/apiserver/pkg/admission/plugin/webhook/mutating/reinvocationcontext.go.
 */
export interface Reinvocation {
  /** Whether this is the second round of the mutating plugins. There is no third. */
  readonly isSecondRound: boolean;
  /** Begins the second round where a webhook changed the object in the first; false when nothing is left to do. */
  begin(): boolean;
  /** In the second round: whether the webhook is called again. */
  isWanted(webhook: string): boolean;
  /** A webhook that may be called again was called. */
  called(webhook: string): void;
  /** A webhook changed the object: those called before it have something to see. */
  changed(): void;
  /** Before the webhooks of a round, and after them: what other plugins change in between concerns all of them. */
  beforeWebhooks(object: Json | undefined): void;
  afterWebhooks(object: Json | undefined): void;
}

export function createReinvocation(): Reinvocation {
  let isSecondRound = false;
  let isNeeded = false;
  let last: Json | undefined;
  const before = new Set<string>();
  const wanted = new Set<string>();
  const wantAll = (): void => {
    for (const webhook of before) {
      wanted.add(webhook);
    }
    before.clear();
  };
  return {
    get isSecondRound() {
      return isSecondRound;
    },
    begin() {
      if (isSecondRound || !isNeeded) {
        return false;
      }
      isSecondRound = true;
      return true;
    },
    isWanted: (webhook) => wanted.has(webhook),
    called: (webhook) => before.add(webhook),
    changed() {
      isNeeded = true;
      wantAll();
    },
    beforeWebhooks(object) {
      if (isSecondRound && !jsonEqual(object, last)) {
        wantAll();
      }
    },
    afterWebhooks(object) {
      last = cloneJson(object);
    },
  };
}
