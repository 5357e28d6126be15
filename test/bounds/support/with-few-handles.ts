/** `node --import` this: see `limit-handles.ts`. */
import { limitHandles } from './limit-handles.ts'

await limitHandles()
