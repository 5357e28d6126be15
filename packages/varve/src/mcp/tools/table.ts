/** All tools. */
import { deletePrefixTool, deleteTool } from './delete-tools.ts'
import { diffTool, historyTool } from './history-tools.ts'
import { listTool, searchTool } from './list-tools.ts'
import { readTool } from './read-tool.ts'
import { restoreTool, undoTool } from './return-tools.ts'
import { forkTool, statusTool } from './session-tools.ts'
import type { Tool } from './tool.ts'
import { moveTool, writeTool } from './write-tools.ts'

const tools: readonly Tool[] = [
  statusTool,
  listTool,
  searchTool,
  readTool,
  historyTool,
  diffTool,
  writeTool,
  moveTool,
  deleteTool,
  deletePrefixTool,
  restoreTool,
  undoTool,
  forkTool,
]

const readingTools = tools.filter(({ hints }) => hints.readOnlyHint === true)

/** The tools of a session: one that is read-only has no others. */
export const toolsOf = ({ readOnly }: { readonly readOnly: boolean }): readonly Tool[] =>
  readOnly ? readingTools : tools
