/** The shapes the store’s API gives and takes. Times are `Date`s, sizes are bytes, ETags come without quotes. */
export type * from './cancelable.ts'
export type * from './bucket-info.ts'
export type * from './log-options.ts'
export type * from './encryption.ts'
export type * from './writes.ts'
export type * from './reads.ts'
export type * from './listings.ts'
export type * from './upload-info.ts'
