/** The bench of storage layouts: `varve bench` is this command. */
export { benchCommand } from './command/bench-command.ts'
export type { Terminal } from './command/terminal.ts'
