import { printable } from './printable.ts'

/** A text as one word of a POSIX shell, for lines to paste. */
export const shellWord = (text: string): string =>
  /^[\w.,/:@%+=-]+$/.test(text) ? text : `'${printable(text).replaceAll("'", `'\\''`)}'`
