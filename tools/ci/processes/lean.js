/*
 * For `node --import` (jest.global-setup.js) and for the processes that run the tests: makes a process that
 * runs from sources start in little more than half of the CPU time. A bundle needs none of it.
 *
 * It is JavaScript, and does nothing without `registerHooks`, because an older Node might load it, too: the
 * one with which a test starts npm.
 */
import './lean-packages.js';
import './lean-http.js';
import './lean-resolution.js';
