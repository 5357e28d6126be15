/** What stands in a log in place of lines that were dropped. */
export const droppedLine = (dropped: number): string =>
  `${JSON.stringify({ level: 'warn', time: new Date().toISOString(), dropped })}\n`

export const lineCount = (lines: string): number => lines.split('\n').length - 1
