import { demo } from './demo.ts';

const { env, stdout, stderr } = process;
process.exitCode = await demo(process.argv.slice(2), { env, stdout, stderr });
