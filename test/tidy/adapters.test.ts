/**
 * A contract suite that is not run proves nothing. Every factory that promises a port is named by a test that runs the
 * port's suite, wrappers and memory included.
 */
import { describe, expect, it } from 'vitest'
import { files, isTest, read } from './tree.ts'

interface Factory {
  readonly name: string
  readonly port: string
}

const lowerFirst = (word: string): string => word.charAt(0).toLowerCase() + word.slice(1)

/** `journalContract` proves a `Journal`. */
const ports = [...read('packages/core/src/contracts/index.ts').matchAll(/\b([a-z]\w*)Contract\b/g)].map(
  ([, name = '']) => name,
)

/** Exported functions of a file whose declared result is one of the ports, or a promise of one. */
function factoriesIn(text: string): Factory[] {
  return text.split(/^(?=export )/m).flatMap((declaration) => {
    const name = /^export (?:async )?(?:function|const) (\w+)/.exec(declaration)?.[1]
    const port = /\)\s*:\s*(?:Promise<)?(\w+)>?\s*(?:\{|=>)/.exec(declaration)?.[1]
    return name !== undefined && port !== undefined && ports.includes(lowerFirst(port)) ? [{ name, port }] : []
  })
}

const isProof = (test: string, { name, port }: Factory): boolean =>
  new RegExp(`\\b${name}\\b`).test(test) && new RegExp(`\\b${lowerFirst(port)}Contract\\b`).test(test)

describe('adapters', () => {
  const adapterFiles = files.filter((path) => /^packages\/adapters\/src\/.*\.ts$/.test(path))
  const factories = adapterFiles
    .filter((path) => !/\.(test|fixture)\.ts$/.test(path))
    .flatMap((path) => factoriesIn(read(path)))
  // Blobs in S3 need a server, which adapters do not know.
  const proofs = files.filter((path) => /^(packages\/adapters\/src|test\/s3-blobs)\//.test(path))
  const tests = proofs.filter(isTest).map(read)

  it('exist for every contract', () => {
    expect(new Set(ports)).toEqual(new Set(['journal', 'blobStore', 'replicaFiles']))
    expect(new Set(factories.map(({ port }) => lowerFirst(port)))).toEqual(new Set(ports))
  })

  it('all prove themselves with the contract suite of their port', () => {
    const unproven = factories.filter((factory) => !tests.some((test) => isProof(test, factory)))
    expect(unproven.map(({ name, port }) => `${name} promises ${port}`)).toEqual([])
  })

  it('are found in the ways they are written', () => {
    const text = [
      'export interface Options {}',
      'export async function levelJournal(db: Db, { sync = true }: Options = {}): Promise<Journal> {',
      'export const memoryBlobs = (): BlobStore => ({})',
      'export function helper(): string {',
    ].join('\n')
    const found = [
      { name: 'levelJournal', port: 'Journal' },
      { name: 'memoryBlobs', port: 'BlobStore' },
    ]
    expect(factoriesIn(text)).toEqual(found)
    expect(isProof('run(journalContract, () => memoryJournal())', { name: 'levelJournal', port: 'Journal' })).toBe(
      false,
    )
    expect(isProof('run(journalContract, () => levelJournal())', { name: 'levelJournal', port: 'Journal' })).toBe(true)
  })
})
