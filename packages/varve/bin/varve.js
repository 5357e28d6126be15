#!/usr/bin/env node
/** The status is set, not forced: what is still to be written is written. */
import { main } from '../dist/cli/main.js'

void main(process.argv.slice(2)).then((status) => {
  process.exitCode = status
})
