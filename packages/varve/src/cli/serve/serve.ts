import { Command } from 'commander'
import type { CliContext } from '../context.ts'
export function serveCommand(_context: CliContext): Command {
  return new Command('serve')
}
