import type { Logger } from 'pino';
import type { ApiWarning } from './warnings.ts';

/**
 * Logs what the API server warns of, each text once: it is repeated with each request.
 *
 * @param most texts that are remembered. When there are more, one line says so, and none follows: texts that name an object are as many as objects. Default 256.
 */
export function createWarningLog(logger: Logger, most = 256): (warning: ApiWarning) => void {
  const logged = new Set<string>();
  let isFull = false;
  return ({ request, text }) => {
    if (logged.has(text) || isFull) {
      return;
    }
    if (logged.size >= most) {
      isFull = true;
      logged.clear();
      logger.warn({ texts: most }, 'API server warns of more than is logged');
      return;
    }
    logged.add(text);
    logger.warn({ request, warning: text }, 'API server warns');
  };
}
