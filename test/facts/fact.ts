/** What S3 was seen to do, and the test of this tree that shows it to be so here. */

export interface Fact {
  readonly statement: string
  /** A public recording of AWS, a public test that AWS passes, or where else it is known from. */
  readonly source: string
  /** Where the dialects differ: the one it is a fact of. */
  readonly dialect?: 'neutral' | 'aws'
  readonly test: {
    /** From the root of the repository. */
    readonly file: string
    /** As it is written there, parameters and all. */
    readonly title: string
  }
}

export interface Chapter {
  readonly title: string
  readonly facts: readonly Fact[]
}

type Row = readonly [statement: string, source: string, title: string, dialect?: 'neutral' | 'aws']

/** Facts that one file shows. */
export function shownBy(file: string, rows: readonly Row[]): readonly Fact[] {
  return rows.map(([statement, source, title, dialect]) => ({
    statement,
    source,
    ...(dialect && { dialect }),
    test: { file, title },
  }))
}

export const recorded = (file: string): string => `test/acceptance/recorded/${file}.test.ts`
export const clients = (file: string): string => `test/acceptance/clients/${file}.test.ts`
export const seed = (file: string): string => `test/acceptance/seed/${file}.test.ts`
export const wire = (file: string): string => `test/acceptance/wire/${file}.test.ts`
export const http = (file: string): string => `packages/http/src/${file}.test.ts`
export const core = (file: string): string => `packages/core/src/${file}.test.ts`
