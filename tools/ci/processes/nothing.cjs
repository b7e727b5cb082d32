// What lean-packages.js puts in the place of a module that is never used.
module.exports = {};
