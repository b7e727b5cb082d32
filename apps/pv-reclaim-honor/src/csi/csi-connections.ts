import type { CsiConnection } from './csi-connection.ts';

/**
 * The connections to one driver. None has two calls under way at once: if a server limits how many calls a
 * connection can have (SETTINGS_MAX_CONCURRENT_STREAMS of HTTP/2), gRPC keeps further ones back until one
 * ends. A deletion would then be sent long after it was judged.
 */
export interface CsiConnections {
  /** Makes one or more calls, one after the other, over a connection that has no other calls meanwhile. */
  use<T>(calls: (connection: CsiConnection) => Promise<T>): Promise<T>;
  /** Closes each connection, at once or when its calls have ended. */
  close(): void;
}

/**
 * @param first a connection that is open already.
 * @param open creates another one when all are in use. There are never more than calls at once.
 */
export function createCsiConnections(first: CsiConnection, open: () => CsiConnection): CsiConnections {
  const idle = [first];
  let isClosed = false as boolean;
  return {
    use: async (calls) => {
      const connection = idle.pop() ?? open();
      try {
        return await calls(connection);
      } finally {
        if (isClosed) {
          connection.close();
        } else {
          idle.push(connection);
        }
      }
    },
    close: () => {
      isClosed = true;
      idle.splice(0).forEach((connection) => connection.close());
    },
  };
}
