import type { PluginCreator } from 'postcss';
import type { Input, PurgeCSSOptions } from './index';

declare namespace plugin {
    interface PluginOptions extends PurgeCSSOptions {
        /** Content for a sheet, instead of `content`. */
        contentFunction?: (sourceFile: string) => PurgeCSSOptions['content'];
        /** Patterns of `--keep`, in addition to `safelist`. */
        keep?: string[];
        /** Further templates, scripts and texts. */
        words?: Input[];
        /** Path of the command. Default: `heddle` of PATH. */
        heddle?: string;
    }
}
declare const plugin: PluginCreator<plugin.PluginOptions>;
export = plugin;
