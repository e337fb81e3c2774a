import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

const START_MS = 30_000;

/** Tries to connect to a server of this machine until it listens. @param isOver whether the server has ended */
export async function connectedTo(port: number, isOver: () => boolean): Promise<Socket> {
  for (const end = performance.now() + START_MS; ; await setTimeout(20)) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return socket;
    } catch (error) {
      if (performance.now() > end || isOver()) throw error;
    }
  }
}
