import type { Logger } from 'pino';
import type { ApiWarning } from './warnings.ts';

/**
 * Logs the API server's warnings, each text once, because they come again with each request.
 *
 * @param most how many texts are remembered. When there are more, one line says so and no other follows,
 *   because texts that name an object are as many as the objects. Default: 256.
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
