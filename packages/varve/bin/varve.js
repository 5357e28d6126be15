#!/usr/bin/env node
/** The status is set, not forced: what is still to be written is written. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`varve: This is Node ${process.versions.node}, and varve needs Node 20.19 or later.\n`)
  process.exitCode = 2
} else {
  // Imported here, because an older Node cannot read the modules.
  void import('../dist/cli/main.js')
    .then(({ main }) => main(process.argv.slice(2)))
    .then((status) => {
      process.exitCode = status
    })
}
