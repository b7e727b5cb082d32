import type { ApiServerUser } from '../../src/auth/authenticator.ts';
import { type Endpoint, type Recorded, replay } from './replay.ts';

/** Whom the server under test knows; kube-apiserver by --token-auth-file. */
export const knownUsers = [
  { token: 'admin-token', name: 'admin', uid: 'admin-uid', groups: ['system:masters'] },
  { token: 'alice-token', name: 'alice', uid: 'alice-uid', groups: ['devs', 'ops'] },
  { token: 'bob-token', name: 'bob', uid: 'bob-uid' },
] as const satisfies readonly ApiServerUser[];

/**
 * Sends the lines of one scenario of auth-requests.ts. Who: a known user, `nobody` (no token), `stranger` (a wrong one)
 * or `issued` (the token issued last), `>user+group+group` for impersonation, and what to wait for: a real server takes
 * a moment to see new roles (`:await`, until the answer is neither 401 nor one that has not seen them) and to forget
 * tokens (`:revoked`, until 401).
 */
export async function replayAuth(
  lines: readonly string[],
  url: string,
  namespace: string,
): Promise<readonly Recorded[]> {
  const answers: Recorded[] = [];
  let issued = '';
  for (const line of lines) {
    const space = line.indexOf(' ');
    const [, who = '', acting, wait] =
      /^([a-z]+)(?:>(.*?))?(?::(await|revoked))?$/.exec(line.slice(0, space)) ?? [];
    const endpoint: Endpoint = {
      url,
      ...tokenOf(who, issued),
      headers: impersonation((acting ?? '').replaceAll('$NS', namespace)),
    };
    const send = (): Promise<Recorded> =>
      replay(
        line.slice(space + 1),
        endpoint,
        namespace,
        (text) => {
          issued = /"token":"(eyJ[^"]*)"/.exec(text)?.[1] ?? issued;
        },
        issued,
      );
    let answer = await send();
    const deadline = Date.now() + 30_000;
    const isSettled = (): boolean =>
      wait === 'await' ? answer.code !== 403 || isLost(answer) : wait !== 'revoked' || answer.code === 401;
    while (!isSettled() && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      answer = await send();
    }
    answers.push({ ...answer, request: line });
  }
  return answers;
}

/** A refusal that shows that a new binding was seen. */
function isLost({ body }: Recorded): boolean {
  return JSON.stringify(body).includes('not found');
}

function tokenOf(who: string, issued: string): { readonly token?: string } {
  if (who === 'nobody') {
    return {};
  }
  if (who === 'issued') {
    return { token: issued };
  }
  return { token: knownUsers.find(({ name }) => name === who)?.token ?? 'no-such-token' };
}

function impersonation(acting: string): Readonly<Record<string, string | string[]>> {
  const [user = '', ...groups] = acting.split('+');
  return {
    ...(user === '' ? undefined : { 'impersonate-user': user }),
    ...(groups.length === 0 ? undefined : { 'impersonate-group': groups }),
  };
}
