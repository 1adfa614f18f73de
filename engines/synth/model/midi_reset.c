/* System exclusive messages that reset an instrument. */
#include "heddle/author.h"
#include "heddle/synth.h"

/* Bytes of a message; DEVICE stands for the number of a device. */
enum { DEVICE = 0x100 };
static const uint16_t MESSAGES[][12] = {
    {6, 0xf0, 0x7e, DEVICE, 0x09, 0x01, 0xf7},                                /* GM System On */
    {6, 0xf0, 0x7e, DEVICE, 0x09, 0x03, 0xf7},                                /* GM2 System On */
    {11, 0xf0, 0x41, DEVICE, 0x42, 0x12, 0x40, 0x00, 0x7f, 0x00, 0x41, 0xf7}, /* GS Reset */
    {9, 0xf0, 0x43, 0x10, 0x4c, 0x00, 0x00, 0x7e, 0x00, 0xf7},                /* XG System On */
};

bool hed_synth_midi_is_reset(const uint8_t *bytes, uint32_t size)
{
    if (!bytes) return false;
    for (uint32_t i = 0; i < HED_COUNT(MESSAGES); i++) {
        uint32_t k = 0;
        while (k < MESSAGES[i][0] && k < size &&
               (MESSAGES[i][1 + k] == DEVICE || MESSAGES[i][1 + k] == bytes[k]))
            k++;
        if (k == MESSAGES[i][0] && size == k) return true;
    }
    return false;
}
