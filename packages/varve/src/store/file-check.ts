/** How opening checks the files of the log: every byte, every byte that may have changed, sizes alone, or nothing. */
export type FileCheck = 'bytes' | 'changed' | 'sizes' | 'none'

export const fileChecks = ['bytes', 'changed', 'sizes', 'none'] as const satisfies readonly FileCheck[]
