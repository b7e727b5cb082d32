/*
 * For `node --import` (jest.global-setup.js), and for the processes that run the tests: what makes a process that runs from sources
 * start in little more than half of the CPU time. A bundle needs none of it.
 *
 * JavaScript, and no hooks where there is no `registerHooks`: the machine's own Node loads this too, where a test starts npm.
 */
import './lean-client-node.js';
import './lean-http.js';
import './lean-resolution.js';
