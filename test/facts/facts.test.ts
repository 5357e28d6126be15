/** The differential table names tests that are there. */
import { describe, expect, it } from 'vitest'
import { files, read } from '../tidy/tree.ts'
import { chapters } from './facts.ts'

const facts = chapters.flatMap((chapter) => chapter.facts)

/** Where `title` stands as one whole string: the name of a test, or of a row of its table. */
function linesWith(text: string, title: string): readonly string[] {
  const spellings = [`'${title}'`, `"${title}"`, `\`${title}\``]
  return text.split('\n').filter((line) => spellings.some((spelling) => line.includes(spelling)))
}

describe('every fact of S3', () => {
  it('is shown by a test that is there, under that title, and is not skipped', () => {
    const wrong = facts.filter(({ test }) => {
      if (!files.includes(test.file)) return true
      const lines = linesWith(read(test.file), test.title)
      return lines.length === 0 || lines.some((line) => /\b(skip|skipIf|runIf|todo)\b/.test(line))
    })
    expect(wrong.map(({ test }) => `${test.file}: ${test.title}`)).toEqual([])
  })

  it('is stated once, with its source', () => {
    const listed = facts.map(({ statement }) => statement)
    expect(listed.filter((one, at) => listed.indexOf(one) !== at)).toEqual([])
    for (const { statement, source } of facts) expect(source, statement).toMatch(/\S{3}/)
  })

  it('would be missed', () => {
    expect(linesWith("it('a', () => {", 'a')).toHaveLength(1)
    expect(linesWith("it('a and b', () => {", 'a')).toEqual([])
  })
})
