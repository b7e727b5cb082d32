import { spawn } from 'node:child_process';

/** What opens an address on each system; no shell reads it. */
const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** @param failed called when there is nothing to open it with. */
export function openBrowser(address: string, failed: () => void): void {
  const [command, ...words] = openers[process.platform] ?? ['xdg-open'];
  const opener = spawn(command, [...words, address], { stdio: 'ignore', detached: true });
  opener.once('error', failed);
  opener.once('exit', (code) => {
    if (code !== 0 && code !== null) {
      failed();
    }
  });
  opener.unref();
}
