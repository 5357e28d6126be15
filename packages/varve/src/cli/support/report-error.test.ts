import { StorageError } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { exitCodeOf, Interrupted, OutputClosed, UsageError } from './exit-codes.ts'
import { errorReport, errorText } from './report-error.ts'

const locked = new StorageError('StoreLocked', 'Another has it.', { details: { pid: 7 } })
const inUse = Object.assign(new Error('listen EADDRINUSE'), { code: 'EADDRINUSE' })

describe('an error', () => {
  it.each([
    [locked, 3, 'varve: Another has it. (StoreLocked)'],
    [new StorageError('NoSuchKey', 'No\u001b[31m key.'), 1, String.raw`varve: No\x1b[31m key. (NoSuchKey)`],
    [
      new StorageError('No\u001b[31m' as 'NoSuchKey', 'From a server.'),
      1,
      String.raw`varve: From a server. (No\x1b[31m)`,
    ],
    [new StorageError('LogCorrupt', 'Bad.'), 5, 'varve: Bad. (LogCorrupt)'],
    [new StorageError('StoreNotFound', 'None.'), 6, 'varve: None. (StoreNotFound)'],
    [new StorageError('JournalFailed', 'Disk.'), 7, 'varve: Disk. (JournalFailed)'],
    [new StorageError('BlobFailed', 'Gone.', { details: { errno: 'EIO' } }), 7, 'varve: Gone. (BlobFailed)'],
    [new StorageError('BlobFailed', 'Net.', { details: { kind: 'connection' } }), 7, 'varve: Net. (BlobFailed)'],
    [new StorageError('BlobFailed', 'No.', { details: { errno: 'EACCES' } }), 1, 'varve: No. (BlobFailed)'],
    [new StorageError('JournalFailed', 'No.', { details: { errno: 'ENOTDIR' } }), 1, 'varve: No. (JournalFailed)'],
    [new StorageError('BlobFailed', 'Key.', { details: { kind: 'X', status: 403 } }), 1, 'varve: Key. (BlobFailed)'],
    [new StorageError('BlobFailed', 'Key.', { details: { kind: 'ProviderError' } }), 1, 'varve: Key. (BlobFailed)'],
    [new UsageError('What?'), 2, 'varve: What?\nvarve --help says more.'],
    [inUse, 1, 'varve: listen EADDRINUSE (EADDRINUSE)'],
    [new TypeError('Odd.'), 1, 'varve: Odd. (TypeError)'],
    ['thrown', 1, 'varve: thrown (Error)'],
    [new Interrupted('SIGTERM'), 143, undefined],
    [new OutputClosed('Gone.'), 0, undefined],
  ])('%s has a status and a text', (error, status, text) => {
    expect(exitCodeOf(error)).toBe(status)
    expect(errorReport(error, { json: false })).toBe(text)
  })

  it('is JSON for programs, details included', () => {
    const report = errorReport(locked, { json: true }) ?? ''
    expect(JSON.parse(report)).toEqual({
      error: { code: 'StoreLocked', message: 'Another has it.', details: { pid: 7 } },
    })
  })

  it('is logged with its causes', () => {
    const error = new StorageError('StoreFailed', 'Stopped.', { cause: locked })
    expect(errorText(error)).toBe('Stopped. (StoreFailed); cause: Another has it. (StoreLocked)')
  })
})
