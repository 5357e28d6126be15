export type * from './command.ts'
export type * from './read-set.ts'
