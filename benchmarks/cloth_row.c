/* Rows of `heddle cloth bench` (cloth_row.h). */
#include "benchmarks/cloth_row.h"

#include "heddle/kernel.h"

void cloth_row_begin(cli_report *to, const cloth_row *row, const hed_cloth_info *info)
{
    const double ms = 1e3 * row->seconds,
                 rate = (double)info->constraints * row->substeps / row->seconds;
    cli_report_row(to, CLI_TEXT("suite", "cloth"), CLI_TEXT("device", row->device, .heading = "device"),
        CLI_TEXT("name", row->name, .heading = "sheet", .shown = row->shown),
        CLI_NUMBER("value", ms, .heading = ">ms a frame", .format = "%.4f"),
        CLI_TEXT("unit", "ms/frame"), CLI_NUMBER("spread", ms * row->spread),
        CLI_NUMBER("one_frame_a_step", 1e3 * row->single, .heading = ">one a step", .format = "%.4f"),
        CLI_NUMBER("floor", row->bound, .heading = ">bound", .format = "%.4f"),
        CLI_NUMBER("constraints_per_second", rate, .heading = ">constraints/s", .format = "%.3g"),
        CLI_NUMBER("worst_stretch", row->worst, .heading = ">stretch %", .shown = row->stretch),
        CLI_NUMBER("stretch_p99", row->p99));
}

void cloth_row_end(cli_report *to, const cloth_row *row, const hed_cloth_info *info)
{
    const char *solver = hed_cloth_solver_name(info->solver);
    cli_report_more(to, CLI_WHOLE("substeps", row->substeps),
        CLI_WHOLE("stretch_after_frames", row->frames), CLI_WHOLE("constraints", info->constraints),
        CLI_NUMBER("bytes_per_particle", (double)info->device_bytes / (double)info->particles,
            .heading = ">bytes", .format = "%.0f"),
        CLI_TEXT("solver", solver),
        CLI_TEXT("choice", info->choice, .heading = "how", .shown = info->choice[0] ? NULL : solver),
        CLI_TEXT("configured", hed_config_origin_name(info->configured)));
}
