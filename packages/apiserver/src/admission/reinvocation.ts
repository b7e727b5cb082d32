import { type Json, cloneJson, jsonEqual } from '../meta/json.ts';

/**
 * What one write remembers about its mutating plugins, so that webhooks and policies with reinvocationPolicy
 * IfNeeded are called again if others changed the object after them. As in
 * k8s.io/apiserver/pkg/admission/plugin/webhook/mutating/reinvocationcontext.go and its counterpart for
 * policies.
 */
export interface Reinvocation {
  /** Whether this is the second round of the mutating plugins. There is no third. */
  readonly isSecondRound: boolean;
  /**
   * Starts the second round if a plugin changed the object in the first one. Returns false if no round is
   * left.
   */
  begin(): boolean;
  /** The memory of one plugin. */
  of(plugin: string): PluginReinvocation;
}

/** The memory of one plugin. Its callers are its webhooks or its policies. */
export interface PluginReinvocation {
  /** Whether the caller must be called again in the second round. */
  isWanted(caller: string): boolean;
  /** Records the call of a caller with reinvocationPolicy IfNeeded. */
  called(caller: string): void;
  /** Records that a caller changed the object, so that those that were called before it must see it again. */
  changed(): void;
  /**
   * Records the object before and after the plugin's round. If other plugins changed it in between, all
   * recorded callers must see it again.
   */
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
