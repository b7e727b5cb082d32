export { findTool, type FoundTool } from './find-tool.ts';
export type { ToolName } from './tool-sets.ts';
