import { type Json, cloneJson, jsonEqual } from '../meta/json.ts';

/**
 * What one write remembers of its mutating plugins, so that webhooks and policies that ask for it (reinvocationPolicy IfNeeded) see once
 * more what others changed after them. As k8s.io/apiserver/pkg/admission/plugin/webhook/mutating/reinvocationcontext.go, and that of the policies.
 */
export interface Reinvocation {
  /** Whether this is the second round of the mutating plugins. There is no third. */
  readonly isSecondRound: boolean;
  /** Begins the second round where a plugin changed the object in the first; false when nothing is left to do. */
  begin(): boolean;
  /** What is remembered for one plugin. */
  of(plugin: string): PluginReinvocation;
}

/** The callers of one plugin are its webhooks, or its policies. */
export interface PluginReinvocation {
  /** In the second round: whether it is called again. */
  isWanted(caller: string): boolean;
  /** One that may be called again was called. */
  called(caller: string): void;
  /** One changed the object: those called before it have something to see. */
  changed(): void;
  /** Before the plugin's round, and after it: what other plugins change in between concerns all of its callers. */
  before(object: Json | undefined): void;
  after(object: Json | undefined): void;
}

export function createReinvocation(): Reinvocation {
  let isSecondRound = false;
  let isNeeded = false;
  const plugins = new Map<string, PluginReinvocation>();

  function createOf(): PluginReinvocation {
    let last: Json | undefined;
    const before = new Set<string>();
    const wanted = new Set<string>();
    const wantAll = (): void => {
      for (const caller of before) {
        wanted.add(caller);
      }
      before.clear();
    };
    return {
      isWanted: (caller) => wanted.has(caller),
      called: (caller) => before.add(caller),
      changed() {
        isNeeded = true;
        wantAll();
      },
      before(object) {
        if (isSecondRound && !jsonEqual(object, last)) {
          wantAll();
        }
      },
      after(object) {
        last = cloneJson(object);
      },
    };
  }

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
    of(plugin) {
      let found = plugins.get(plugin);
      if (found === undefined) {
        plugins.set(plugin, (found = createOf()));
      }
      return found;
    },
  };
}
