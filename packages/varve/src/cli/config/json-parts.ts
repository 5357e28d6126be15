/** The members of a JSON file, each with its place. */
import { evaluate, parse } from '@humanwhocodes/momoa'
import type { ConfigParts } from './config-entry.ts'

export function jsonParts(text: string): ConfigParts {
  let body: ReturnType<typeof parse>['body']
  try {
    ;({ body } = parse(text))
  } catch (error) {
    const { message, line = 1, column = 1 } = error as Error & { readonly line?: number; readonly column?: number }
    // Nothing after it has a certain meaning.
    return {
      entries: [],
      problems: [{ line, column, rule: `this is not JSON: ${message.replace(/ \(\d+:\d+\)$/, '')}` }],
    }
  }
  if (body.type !== 'Object') {
    const { line, column } = body.loc.start
    return { entries: [], problems: [{ line, column, rule: 'the file must be one object' }] }
  }
  const entries = body.members.map(({ name, value }) => ({
    name: name.type === 'String' ? name.value : name.name,
    value: evaluate(value) as unknown,
    line: name.loc.start.line,
    column: name.loc.start.column,
  }))
  return { entries, problems: [] }
}
