/**
 * V8 lets garbage grow to several times of what is in use before it marks the whole heap, on a machine with much memory up to
 * hundreds of MiB: what attacks leave behind would stay for minutes. A process that only serves collects when half has come on
 * top. The garbage collector is the whole process's, so a program that embeds a store decides this by itself.
 */
import { setFlagsFromString } from 'node:v8'

const growingPercent = 50

/** Read whenever V8 sets its next limit, so it holds from the next collection on. */
export const collectEarly = (): void => setFlagsFromString(`--heap-growing-percent=${growingPercent}`)
