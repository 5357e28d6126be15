export type * from './command.ts'
