export type {
  Command,
  CommandMeta,
  CommandShapes,
  CommandType,
  CompletedPart,
  VersionRef,
  WriteConditions,
} from './command.ts'
export type { FirstRead, ReadSet, RowRead } from './read-set.ts'
