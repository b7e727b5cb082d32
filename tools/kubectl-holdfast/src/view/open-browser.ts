import { spawn } from 'node:child_process';

/** The program that opens an address on each system. It is started without a shell. */
const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** @param failed called if there is no such program */
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
