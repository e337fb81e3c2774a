import { expect, it } from 'vitest';
import { refusal } from './every-command.js';

// What is right is in `etcd-tls.long.test.ts`, with a cluster.
it.each<[url: string, message: string | RegExp]>([
  ['etcds://127.0.0.1:9/?cacert=ca.pem', 'parameters in the URL: expected only ca, cert, key, got "cacert"'],
  ['etcd://127.0.0.1:9/?ca=ca.pem', 'ca in the URL: expected etcds:// for certificates, got "etcd://"'],
  [
    'etcds://127.0.0.1:9/?ca=none.pem',
    'ca in the URL: expected the path of a file that exists and can be read, got "none.pem"',
  ],
  [
    'etcds://127.0.0.1:9/?ca=100%.pem',
    'ca in the URL: expected text in which %25 stands for a percent sign, got "100%.pem"',
  ],
  [
    'etcds://127.0.0.1:9/?ca=package.json',
    'ca in the URL: expected a file with certificates in PEM, got "package.json"',
  ],
  [
    'etcds://127.0.0.1:9/?cert=package.json',
    'cert in the URL: expected a file with certificates in PEM, got "package.json"',
  ],
  ['etcds://127.0.0.1:9/?key=package.json', 'cert in the URL: expected the certificate of key, got none'],
  [
    'etcd://me@127.0.0.1:9',
    'password in the URL: expected that of the user "me", or else ETCDCTL_USER=user:password or ETCDCTL_PASSWORD, got none',
  ],
  [
    'etcd://me:hid%den@127.0.0.1:9',
    'password in the URL: expected text in which %25 stands for a percent sign, got "another text"',
  ],
  ['etcd://127.0.0.1:9/50%', 'path in the URL: expected text in which %25 stands for a percent sign, got "50%"'],
  ['etcd://:hidden@127.0.0.1:9', /^expected a path .*, got "etcd:\/\/@127\.0\.0\.1:9"$/],
  ['etcds://me:hid/den@127.0.0.1:9/', /^expected a path .*, got "etcds:\/\/me@127\.0\.0\.1:9\/"$/],
  ['etcds://', /^--store: expected a path /],
])('a URL of etcd that is wrong: %s', async (url, message) => {
  expect(await refusal(url)).toEqual([2, typeof message === 'string' ? message : expect.stringMatching(message)]);
});
