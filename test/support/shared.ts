import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** What servers.ts starts: the URL of a PostgreSQL, the WebSocket of a Chromium, the page that `shardbits inspect` serves. */
export type SharedServer = 'postgres' | 'chromium' | 'inspect';

/** The address of a server of the run. */
export async function shared(name: SharedServer): Promise<string> {
  const socket = connect(Number(process.env.SHARED_SERVERS), '127.0.0.1');
  socket.write(name);
  const answer = await text(socket);
  if (answer === '' || answer.startsWith('error: ')) throw new Error(`${name} does not start: ${answer}`);
  return answer;
}
