/**
 * A table of sentences, each with what shows that it holds. One server for a table; every row makes its own buckets, so
 * rows run side by side.
 */
import { afterAll, beforeAll, describe, it } from 'vitest'
import { openTestService, type TestService } from './test-service.ts'
import type { ServerOptions } from './server.ts'

/** A sentence of the description, nearly word for word, and the test that proves it. */
export type Sentence = readonly [expected: string, holds: (service: TestService) => Promise<void>]

/** @param section Number and name; the rows are numbered within it. */
export function sentences(section: string, rows: readonly Sentence[], options: ServerOptions = {}): void {
  describe(section, () => {
    let service: TestService
    beforeAll(async () => {
      service = await openTestService(options)
    })
    afterAll(() => service.stop())

    const number = section.slice(0, section.indexOf(' '))
    for (const [index, [expected, holds]] of rows.entries())
      it.concurrent(`${number}.${index + 1} ${expected}`, () => holds(service))
  })
}
